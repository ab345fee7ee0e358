// SPDX-License-Identifier: Apache-2.0
// Label selectors and node selectors: as written in objects, and compiled for matching.
//
// The written forms keep what the object says, valid or not. Compiling checks them by upstream's rules and
// fails with upstream's text; who compiles decides what an error means there.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/labels.h"
#include "base/result.h"

namespace berth::api {

// A label selector requirement or node selector requirement as written.
struct SelectorRequirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist; node selectors also Gt, Lt. Anything else is kept as it is.
  std::vector<std::string> values;

  bool operator==(const SelectorRequirement&) const = default;
};

// metav1.LabelSelector as written.
struct LabelSelector {
  Labels match_labels;
  std::vector<SelectorRequirement> match_expressions;

  bool operator==(const LabelSelector&) const = default;
};

// A compiled label selector: a conjunction of requirements over labels.
class Selector {
 public:
  enum class Op : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };
  struct Requirement {
    std::string key;
    Op op = Op::kExists;
    std::vector<std::string> values;  // Sorted.
    int64_t bound = 0;                // kGt, kLt.
    bool is_equality = false;         // Written as key: value; a kIn that prints as key=value.

    bool Matches(const Labels& labels) const;
    bool operator==(const Requirement&) const = default;
  };

  // Matches nothing: what a nil *metav1.LabelSelector compiles to.
  static Selector Nothing();
  // Matches everything: what an empty selector compiles to.
  static Selector Everything() { return Selector(); }
  // All of `labels` must be equal (a map selector, e.g. of a Service).
  static Selector FromLabels(const Labels& labels);

  // Compiles `written`; nullopt gives Nothing(). Fails with upstream's text for an unknown operator, an invalid key or
  // value, or a wrong number of values.
  static Result<Selector> Compile(const std::optional<LabelSelector>& written);

  // Adds a requirement without validation.
  void Add(Requirement requirement);

  bool Matches(const Labels& labels) const;
  bool matches_nothing() const { return nothing_; }
  // True when there is no requirement and it is not Nothing(): matches everything.
  bool empty() const { return !nothing_ && requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }

  // The canonical text (as kubectl prints selectors, e.g. "app in (a,b),tier=x"), unique per meaning as written;
  // usable as a key.
  std::string ToString() const;

  bool operator==(const Selector&) const = default;

 private:
  bool nothing_ = false;
  std::vector<Requirement> requirements_;  // Sorted by key.
};

// core/v1 NodeSelectorTerm as written.
struct NodeSelectorTerm {
  std::vector<SelectorRequirement> match_expressions;
  std::vector<SelectorRequirement> match_fields;

  bool operator==(const NodeSelectorTerm&) const = default;
};

// core/v1 NodeSelector as written: its terms are ORed.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  bool operator==(const NodeSelector&) const = default;
};

// One compiled node selector term.
class NodeTerm {
 public:
  // Fails with upstream's text (including the field path, e.g. `[0].matchExpressions[0].operator: Invalid value: ...`),
  // where `path` is the path of the term. An empty term compiles to one that matches nothing.
  static Result<NodeTerm> Compile(const NodeSelectorTerm& written, const std::string& path);
  // The same for callers that report the errors of several terms together: appends each to `errors`.
  static NodeTerm Compile(const NodeSelectorTerm& written, const std::string& path, std::vector<std::string>& errors);

  bool Matches(const Labels& labels, std::string_view node_name) const;
  bool matches_nothing() const { return nothing_; }
  const Selector& labels() const { return labels_; }
  // Requirements on metadata.name.
  const std::vector<Selector::Requirement>& fields() const { return fields_; }

 private:
  bool nothing_ = false;
  Selector labels_;
  std::vector<Selector::Requirement> fields_;
};

// A compiled node selector. Invalid terms are treated as upstream's lazy error selector does: a node that matches a
// valid term matches; otherwise the terms' errors are reported by Match().
class NodeSelectorMatcher {
 public:
  explicit NodeSelectorMatcher(const NodeSelector& written);

  // True or false; an error when no valid term matched and some term is invalid.
  Result<bool> Match(const Labels& labels, std::string_view node_name) const;
  // Errors count as "does not match".
  bool Matches(const Labels& labels, std::string_view node_name) const;
  // True when some term looks at metadata.name or at the label `key`.
  bool DependsOn(std::string_view key) const;
  bool has_field_terms() const;

  struct Term {
    std::optional<NodeTerm> compiled;  // Absent when it did not compile.
    std::string error;
  };
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;  // One per written term.
  std::string error_;        // Of all terms that did not compile.
};

// Validation texts of names, as upstream's apimachinery validation gives them: empty when valid.
std::vector<std::string> ValidateQualifiedName(std::string_view name);
std::vector<std::string> ValidateLabelValue(std::string_view value);
std::vector<std::string> ValidateDnsSubdomain(std::string_view name);

}  // namespace berth::api
