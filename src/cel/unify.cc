// SPDX-License-Identifier: Apache-2.0
#include "cel/unify.h"

#include <algorithm>

namespace berth::cel {

void Unifier::Step() {
  if (++steps_ > kStepsMax) throw TooComplex{};
}

const Type* Unifier::Find(const Type* variable) const {
  if (!variable->Is(TypeKind::kParam)) return nullptr;
  const auto it = bindings_.find(variable);
  return it == bindings_.end() ? nullptr : it->second;
}

void Unifier::Bind(const Type* variable, const Type* type) {
  const Type*& bound = bindings_[variable];
  trail_.emplace_back(variable, bound);
  bound = type;
}

void Unifier::UndoTo(size_t size) {
  while (trail_.size() > size) {
    const auto [variable, before] = trail_.back();
    trail_.pop_back();
    if (before == nullptr) {
      bindings_.erase(variable);
    } else {
      bindings_[variable] = before;
    }
  }
}

bool Unifier::IsAssignable(const Type* from, const Type* to) { return AreAssignable({&from, 1}, {&to, 1}); }

bool Unifier::AreAssignable(std::span<const Type* const> from, std::span<const Type* const> to) {
  const size_t mark = trail_.size();
  if (std::ranges::equal(from, to, [this](const Type* a, const Type* b) { return Unify(a, b); })) return true;
  UndoTo(mark);
  return false;
}

bool Unifier::Unify(const Type* from, const Type* to) {
  Step();
  if (from == to && !from->has_variables) return true;
  if (to->Is(TypeKind::kParam)) {
    const auto [can_replace, is_bound] = CanReplace(from, to);
    if (can_replace) return true;
    if (is_bound) return false;
  }
  if (from->Is(TypeKind::kParam)) return CanReplace(to, from).first;
  const auto is_wild = [](const Type* type) { return type->is_dyn() || type->Is(TypeKind::kError); };
  if (is_wild(from) || is_wild(to)) return true;
  const auto is_nullable = [](const Type* type) {
    return type->Is(TypeKind::kOpaque) || type->Is(TypeKind::kStruct) || type->Is(TypeKind::kDuration) ||
           type->Is(TypeKind::kTimestamp) || type->Is(TypeKind::kNull);
  };
  if (from->Is(TypeKind::kNull)) return is_nullable(to);
  if (to->Is(TypeKind::kNull)) return is_nullable(from);
  if (from->kind != to->kind) return false;
  switch (from->kind) {
    case TypeKind::kType: return true;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return from->name == to->name &&
             std::ranges::equal(from->params, to->params, [this](const Type* a, const Type* b) { return Unify(a, b); });
    default: return from == to;
  }
}

// Whether a type can be what the variable stands for, and whether it stood for something before.
std::pair<bool, bool> Unifier::CanReplace(const Type* type, const Type* variable) {
  if (type == variable) return {true, true};
  if (const Type* bound = Find(variable)) {
    if (type == bound) return {true, true};
    if (!Unify(type, bound)) return {false, true};
    const Type* general = MostGeneral(type, bound);
    if (IsFree(variable, general)) Bind(variable, general);
    return {true, true};
  }
  if (!IsFree(variable, type)) return {false, false};
  Bind(variable, type);
  return {true, false};
}

bool Unifier::IsFree(const Type* variable, const Type* within) {
  Step();
  if (variable == within) return false;
  if (!within->has_variables) return true;
  if (within->Is(TypeKind::kParam)) {
    const Type* bound = Find(within);
    return bound == nullptr || IsFree(variable, bound);
  }
  return std::ranges::all_of(within->params, [this, variable](const Type* param) { return IsFree(variable, param); });
}

const Type* Unifier::MostGeneral(const Type* left, const Type* right) {
  return IsAsGeneral(left, right) ? left : right;
}

bool Unifier::IsAsGeneral(const Type* left, const Type* right) {
  Step();
  if (left->is_dyn() || left->Is(TypeKind::kParam)) return true;
  if (right->is_dyn() || right->Is(TypeKind::kParam)) return false;
  if (left == right) return true;
  if (left->kind != right->kind) return false;
  switch (left->kind) {
    case TypeKind::kType: return true;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return left->name == right->name &&
             std::ranges::equal(left->params, right->params,
                                [this](const Type* a, const Type* b) { return IsAsGeneral(a, b); });
    default: return false;
  }
}

const Type* Unifier::Substitute(const Type* type, bool free_becomes_dyn) {
  if (!type->has_variables) return type;
  Step();
  if (const Type* bound = Find(type)) return Substitute(bound, free_becomes_dyn);
  if (type->Is(TypeKind::kParam)) return free_becomes_dyn ? types_.Simple(TypeKind::kDyn) : type;
  std::vector<const Type*> params;
  for (const Type* param : type->params) params.push_back(Substitute(param, free_becomes_dyn));
  return types_.Get(type->kind, type->name, std::move(params));
}

}  // namespace berth::cel
