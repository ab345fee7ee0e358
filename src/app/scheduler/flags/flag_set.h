// SPDX-License-Identifier: Apache-2.0
// FlagSet: named flags in sections, parsed by the rules of Kubernetes' components.
//
// `--a=b`, `--a b`, `-v2`, `-v=2`, `-v 2`; flags of truth may stand alone; `_` in a name reads as `-`; arguments may
// stand among flags, and all that follows `--` is one. Error texts are pflag's. Variables are bound to flags and hold
// the default until a flag is given.

#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::scheduler_app {

// How a flag reads and shows its variable, which must outlive it.
struct FlagBinding {
  std::string type;
  std::function<Result<void>(std::string_view)> set;
  std::function<std::string()> text;
  std::string if_bare;  // The value of a flag that stands alone; empty: it needs one.
};

struct Flag {
  std::string name;
  char shorthand = 0;  // 0: none.
  FlagBinding binding;
  std::string usage;
  std::string default_text;
  bool changed = false;
};

struct FlagSection {
  std::string title;        // "Secure serving".
  bool is_upstream = true;  // kube-scheduler 1.37 has these flags.
  std::map<std::string, Flag, std::less<>> flags;
};

class FlagSet {
 public:
  // Flags are added to the section that was begun last.
  void BeginSection(std::string title, bool is_upstream = true);
  void Add(std::string name, FlagBinding binding, std::string usage, char shorthand = 0);

  // Returns the arguments that are not flags. Flags before an error have been set.
  Result<std::vector<std::string>> Parse(std::span<const std::string> arguments);

  const std::vector<FlagSection>& sections() const { return sections_; }
  // REQUIRES: there is such a flag.
  bool Changed(std::string_view name) const;
  // All flags by name.
  std::map<std::string_view, const Flag*> ByName() const;

 private:
  using Arguments = std::span<const std::string>;

  Flag* Find(std::string_view name);
  Flag* FindShorthand(char shorthand);
  static Result<void> Set(Flag& flag, std::string_view value);
  // Both take what follows the flag off `rest` when it is the flag's value.
  Result<void> ParseLong(std::string_view argument, Arguments& rest);
  Result<void> ParseShort(std::string_view letters, Arguments& rest);

  std::vector<FlagSection> sections_;
};

}  // namespace berth::scheduler_app
