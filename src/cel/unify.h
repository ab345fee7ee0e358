// SPDX-License-Identifier: Apache-2.0
// Unifier: decides whether one type can stand for another, and what type variables stand for meanwhile.

#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/type.h"

namespace berth::cel {

class Unifier {
 public:
  // Types share their parts, so that comparing two small ones can take very long.
  static constexpr uint64_t kStepsMax = 1'000'000;
  struct TooComplex {};  // Thrown beyond that.

  explicit Unifier(TypeTable& types) : types_(types) {}

  // Whether a value of the first type may be where the second is asked for. Binds variables if so.
  bool IsAssignable(const Type* from, const Type* to);
  bool AreAssignable(std::span<const Type* const> from, std::span<const Type* const> to);

  // The type with variables replaced by what they are bound to; free ones become dyn if asked.
  const Type* Substitute(const Type* type, bool free_becomes_dyn);

  // The more general of two types that unify.
  const Type* MostGeneral(const Type* left, const Type* right);

 private:
  const Type* Find(const Type* variable) const;
  void Bind(const Type* variable, const Type* type);
  void UndoTo(size_t size);
  void Step();

  bool Unify(const Type* from, const Type* to);
  std::pair<bool, bool> CanReplace(const Type* type, const Type* variable);
  bool IsFree(const Type* variable, const Type* within);
  bool IsAsGeneral(const Type* left, const Type* right);

  TypeTable& types_;
  std::unordered_map<const Type*, const Type*> bindings_;
  std::vector<std::pair<const Type*, const Type*>> trail_;  // Variables that were bound, and to what before.
  uint64_t steps_ = 0;
};

}  // namespace berth::cel
