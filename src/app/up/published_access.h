// SPDX-License-Identifier: Apache-2.0
// PublishedAccess: says in a kubeconfig how to reach a control plane, for as long as the control plane runs.
//
// Either in a file of its own, or with `--context` as a context of the user's own kubeconfig, which is the first file
// of KUBECONFIG or ~/.kube/config. What was added is taken out in the end, unless it shall stay. A kubeconfig of
// another `berth up` that runs is left alone: where the user did not name the file, one with the port in its name is
// written.
//
// Thread: one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/up/kubeconfig_entries.h"
#include "app/up/options.h"
#include "app/up/owned_file.h"
#include "base/result.h"

namespace berth::up {

class PublishedAccess {
 public:
  // REQUIRES: the options outlive it.
  static Result<PublishedAccess> Create(const Access& access, uint16_t port, const Options& options);
  PublishedAccess(PublishedAccess&&) = default;
  PublishedAccess& operator=(PublishedAccess&&) = delete;

  // Takes out what was added, unless it shall stay.
  Result<void> Withdraw();

  // The kubeconfig that has it; absolute.
  const std::string& path() const { return merged_ && path_.empty() ? merged_->file : path_; }
  // What the user types to reach it, line by line.
  std::string Instructions() const;

 private:
  // A context in a file of others.
  struct Merged {
    std::string file;
    KubeconfigContext context;
    bool is_new_file = false;
    std::optional<std::string> before;  // Its text, if it can be put back.
    std::string after;
  };

  explicit PublishedAccess(const Options& options) : options_(options) {}
  Result<void> WriteOwn(const KubeconfigContext& context, uint16_t port);
  Result<void> Merge(KubeconfigContext context);
  Result<void> Unmerge();

  const Options& options_;
  std::string path_;  // Of its own file; absolute.
  std::optional<OwnedFile> own_;
  std::optional<Merged> merged_;
};

}  // namespace berth::up
