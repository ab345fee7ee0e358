// SPDX-License-Identifier: Apache-2.0
#include "api/parts/selector.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

const Labels kLabels = {{"app", "web"}, {"tier", "db"}, {"size", "10"}, {"word", "ten"}, {"empty", ""}};

Selector MustCompile(const LabelSelector& written) {
  Result<Selector> selector = Selector::Compile(written);
  EXPECT_TRUE(selector) << selector.error().message;
  return selector.value_or(Selector::Nothing());
}

std::string CompileError(const LabelSelector& written) {
  const Result<Selector> selector = Selector::Compile(written);
  return selector ? "" : selector.error().message;
}

TEST(Selector, NilMatchesNothingAndEmptyMatchesEverything) {
  const Selector nil = Selector::Compile(std::nullopt).value();
  const Selector empty = MustCompile({});

  EXPECT_TRUE(nil.matches_nothing());
  EXPECT_FALSE(nil.empty());
  EXPECT_FALSE(nil.Matches(kLabels));
  EXPECT_TRUE(empty.empty());
  EXPECT_TRUE(empty.Matches({}));
  EXPECT_EQ(empty, Selector::Everything());
}

TEST(Selector, MatchesByOperator) {
  struct Case {
    SelectorRequirement requirement;
    bool matches;
  };
  const Case kCases[] = {
      {{"app", "In", {"web", "api"}}, true}, {{"app", "In", {"api"}}, false},      {{"none", "In", {"web"}}, false},
      {{"empty", "In", {""}}, true},         {{"app", "NotIn", {"web"}}, false},   {{"app", "NotIn", {"api"}}, true},
      {{"none", "NotIn", {"web"}}, true},    {{"app", "Exists", {}}, true},        {{"none", "Exists", {}}, false},
      {{"app", "DoesNotExist", {}}, false},  {{"none", "DoesNotExist", {}}, true},
  };

  for (const Case& test : kCases) {
    SCOPED_TRACE(test.requirement.key + " " + test.requirement.op);
    const Selector selector = MustCompile({.match_labels = {}, .match_expressions = {test.requirement}});
    EXPECT_EQ(selector.Matches(kLabels), test.matches);
  }
}

TEST(Selector, AllRequirementsMustMatch) {
  EXPECT_TRUE(MustCompile({{{"app", "web"}}, {{"tier", "Exists", {}}}}).Matches(kLabels));
  EXPECT_FALSE(MustCompile({{{"app", "web"}}, {{"tier", "DoesNotExist", {}}}}).Matches(kLabels));
  EXPECT_FALSE(MustCompile({{{"app", "api"}}, {{"tier", "Exists", {}}}}).Matches(kLabels));
}

TEST(Selector, MapSelectorIsNotValidated) {
  EXPECT_TRUE(Selector::FromLabels({{"not a key", "-"}}).Matches({{"not a key", "-"}}));
  EXPECT_TRUE(Selector::FromLabels({}).empty());
}

TEST(Selector, PrintsSortedByKeyAndValues) {
  const Selector selector = MustCompile(
      {{{"tier", "x"}, {"app", "web"}},
       {{"zone", "In", {"b", "a"}}, {"app", "NotIn", {"q"}}, {"gone", "DoesNotExist", {}}, {"here", "Exists", {}}}});

  EXPECT_EQ(selector.ToString(), "app=web,app notin (q),!gone,here,tier=x,zone in (a,b)");
  EXPECT_EQ(Selector::Nothing().ToString(), "");
}

TEST(Selector, RefusesWhatUpstreamRefusesWithItsTexts) {
  const std::string kKeyRule =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
      "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const std::string kValueRule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
      "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation "
      "is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  struct Case {
    LabelSelector written;
    std::string error;
  };
  const Case kCases[] = {
      {{{}, {{"app", "Foo", {"a"}}}}, R"("Foo" is not a valid label selector operator)"},
      {{{}, {{"app", "Gt", {"1"}}}}, R"("Gt" is not a valid label selector operator)"},
      {{{}, {{"app", "In", {}}}},
       "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {{{}, {{"app", "Exists", {"a<b", "c"}}}},
       R"([values: Invalid value: ["a\u003cb","c"]: values set must be empty for exists and does not exist, )"
       R"(values[0][app]: Invalid value: "a<b": )" +
           kValueRule + "]"},
      {{{{"app", "-"}}, {}}, R"(values[0][app]: Invalid value: "-": )" + kValueRule},
      {{{{"a/b/c", "x"}}, {}},
       R"(key: Invalid value: "a/b/c": a valid label key )" + kKeyRule +
           " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
      {{{{"", "x"}}, {}}, R"(key: Invalid value: "": name part must be non-empty; name part )" + kKeyRule},
  };

  for (const Case& test : kCases) {
    SCOPED_TRACE(test.error);
    EXPECT_EQ(CompileError(test.written), test.error);
  }
}

TEST(NodeTerm, ComparesIntegers) {
  struct Case {
    SelectorRequirement requirement;
    bool matches;
  };
  const Case kCases[] = {
      {{"size", "Gt", {"9"}}, true},   {{"size", "Gt", {"10"}}, false}, {{"size", "Lt", {"0011"}}, true},
      {{"size", "Lt", {"10"}}, false}, {{"word", "Gt", {"1"}}, false},  {{"none", "Lt", {"1"}}, false},
  };

  for (const Case& test : kCases) {
    SCOPED_TRACE(test.requirement.key + " " + test.requirement.op + " " + test.requirement.values[0]);
    const Result<NodeTerm> term = NodeTerm::Compile({{test.requirement}, {}}, "");
    ASSERT_TRUE(term) << term.error().message;
    EXPECT_EQ(term->Matches(kLabels, "n1"), test.matches);
  }
}

TEST(NodeTerm, MatchesTheNodeName) {
  const NodeTerm is = NodeTerm::Compile({{}, {{"metadata.name", "In", {"n1"}}}}, "").value();
  const NodeTerm is_not = NodeTerm::Compile({{}, {{"metadata.name", "NotIn", {"n1"}}}}, "").value();
  const NodeTerm other = NodeTerm::Compile({{}, {{"spec.x", "In", {""}}}}, "").value();

  EXPECT_TRUE(is.Matches({}, "n1"));
  EXPECT_FALSE(is.Matches({}, "n2"));
  EXPECT_TRUE(is.Matches({}, ""));
  EXPECT_FALSE(is_not.Matches({}, "n1"));
  EXPECT_TRUE(is_not.Matches({}, "n2"));
  EXPECT_TRUE(other.Matches({}, "n2"));
}

TEST(NodeTerm, EmptyTermMatchesNothing) {
  const NodeTerm term = NodeTerm::Compile({}, "").value();

  EXPECT_TRUE(term.matches_nothing());
  EXPECT_FALSE(term.Matches(kLabels, "n1"));
}

TEST(NodeTerm, ErrorsCarryThePathOfTheTerm) {
  const Result<NodeTerm> term =
      NodeTerm::Compile({{{"a", "Foo", {}}, {"a", "Gt", {"x"}}}, {{"metadata.name", "In", {}}}}, "[2]");

  ASSERT_FALSE(term);
  EXPECT_EQ(
      term.error().message,
      R"([[2].matchExpressions[0].operator: Unsupported value: "Foo": supported values: "In", "NotIn", "Exists", )"
      R"("DoesNotExist", "Gt", "Lt", [2].matchExpressions[1].values[0]: Invalid value: "x": for 'Gt', 'Lt' )"
      R"(operators, the value must be an integer, [2].matchFields[0].values: Invalid value: null: must have one )"
      R"(element])");
}

TEST(NodeSelectorMatcher, ReportsBadTermsOnlyWhenNoGoodTermMatches) {
  const NodeSelectorTerm bad = {{{"app", "Foo", {}}}, {}};
  const NodeSelectorTerm good = {{{"app", "In", {"web"}}}, {}};
  const NodeSelectorMatcher matcher(NodeSelector{{bad, NodeSelectorTerm(), good}});

  EXPECT_TRUE(matcher.Match({{"app", "web"}}, "n").value());
  const Result<bool> other = matcher.Match({{"app", "api"}}, "n");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            R"(nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Foo": supported values: "In", )"
            R"("NotIn", "Exists", "DoesNotExist", "Gt", "Lt")");
  EXPECT_FALSE(matcher.Matches({{"app", "api"}}, "n"));
  ASSERT_EQ(matcher.terms().size(), 3U);
  EXPECT_FALSE(matcher.terms()[0].compiled);
}

TEST(NodeSelectorMatcher, KnowsWhatItLooksAt) {
  const NodeSelectorTerm by_label = {{{"app", "Exists", {}}}, {}};
  const NodeSelectorTerm by_name = {{}, {{"metadata.name", "In", {"n1"}}}};
  const NodeSelectorMatcher labels(NodeSelector{{by_label}});
  const NodeSelectorMatcher fields(NodeSelector{{by_name}});

  EXPECT_TRUE(labels.DependsOn("app"));
  EXPECT_FALSE(labels.DependsOn("tier"));
  EXPECT_FALSE(labels.has_field_terms());
  EXPECT_TRUE(fields.DependsOn("tier"));
  EXPECT_TRUE(fields.has_field_terms());
}

TEST(NameValidation, LimitsLengths) {
  EXPECT_TRUE(ValidateQualifiedName(std::string(253, 'p') + "/" + std::string(63, 'n')).empty());
  EXPECT_EQ(ValidateQualifiedName(std::string(254, 'p') + "/n").front(), "prefix part must be no more than 253 bytes");
  EXPECT_EQ(ValidateQualifiedName(std::string(64, 'n')).front(), "name part must be no more than 63 bytes");
  EXPECT_EQ(ValidateLabelValue(std::string(64, 'v')).front(), "must be no more than 63 bytes");
  EXPECT_EQ(ValidateDnsSubdomain(std::string(254, 's')).front(), "must be no more than 253 characters");
  EXPECT_TRUE(ValidateDnsSubdomain("a.b-c.d0").empty());
  EXPECT_EQ(ValidateDnsSubdomain("a..b").size(), 1U);
}

}  // namespace
}  // namespace berth::api
