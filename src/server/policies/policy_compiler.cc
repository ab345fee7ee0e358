// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cel/declared_environment.h"
#include "cel/made_objects.h"
#include "server/policies/policy_types.h"

namespace berth::server {
namespace {

using cel::TypeKind;

std::string_view NameOfType(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool: return "bool";
    case TypeKind::kString: return "string";
    default: return "null_type";
  }
}

std::optional<std::string> RefuseType(const cel::Type& type, const WantedTypes& wanted) {
  if (wanted.empty() || std::ranges::find(wanted, type.kind) != wanted.end()) return std::nullopt;
  const std::string is = cel::TypeToString(&type);
  if (wanted.size() == 1) return fmt::format("must evaluate to {} but got {}", NameOfType(wanted[0]), is);
  std::string names;
  for (const TypeKind kind : wanted) names += (names.empty() ? "" : " ") + std::string(NameOfType(kind));
  return fmt::format("must evaluate to one of [{}] but got {}", names, is);
}

}  // namespace

PolicyCompiler::PolicyCompiler(bool knows_variables, bool has_params)
    : knows_variables_(knows_variables), has_params_(has_params), variables_(TypeKind::kStruct) {
  variables_.name = "kubernetes.variables";
}

PolicyExpression PolicyCompiler::Compile(const std::string& text, const WantedTypes& wanted, bool is_stored) {
  return CompileBy(text, [&](const cel::Type* type, cel::TypeTable&) { return RefuseType(*type, wanted); }, is_stored);
}

PolicyExpression PolicyCompiler::CompileMutation(const std::string& text, bool is_patch, bool is_stored) {
  const auto refuse = [&](const cel::Type* type, cel::TypeTable& types) -> std::optional<std::string> {
    const cel::Type* const object = types.Get(TypeKind::kStruct, is_patch ? cel::kPatchType : cel::kObjectType);
    const cel::Type* const wanted = is_patch ? types.List(object) : object;
    if (type == wanted) return std::nullopt;
    return fmt::format("must evaluate to {} but got {}", cel::TypeToString(wanted), cel::TypeToString(type));
  };
  return CompileBy(text, refuse, is_stored, true);
}

PolicyExpression PolicyCompiler::CompileBy(const std::string& text, const cel::Expression::TypeRule& rule,
                                           bool is_stored, bool makes_objects) {
  cel::DeclaredEnvironment environment(
      makes_objects ? cel::Library::GetForPatches(is_stored) : cel::Library::Get(is_stored), makes_objects);
  // In the order of Run's values.
  environment.Add("object", DynamicType(), "");
  environment.Add("oldObject", DynamicType(), "");
  environment.Add("namespaceObject", NamespaceType(), "");
  environment.Add("request", RequestType(), "");
  environment.Add(has_params_ ? "params" : "", DynamicType(), "");
  if (knows_variables_) environment.Add("variables", variables_, "");
  PolicyExpression compiled;
  compiled.text = text;
  auto program = cel::Expression::Compile(text, environment, rule, false);
  if (program) {
    compiled.program = *std::move(program);
    return compiled;
  }
  const cel::Expression::Refusal& refusal = program.error();
  compiled.is_internal = refusal.stage == cel::Expression::Stage::kProgram;
  switch (refusal.stage) {
    case cel::Expression::Stage::kText: compiled.error = "compilation failed: " + refusal.detail; break;
    case cel::Expression::Stage::kType: compiled.error = refusal.detail; break;
    case cel::Expression::Stage::kProgram: compiled.error = "program instantiation failed: " + refusal.detail; break;
  }
  return compiled;
}

PolicyExpression PolicyCompiler::CompileVariable(const std::string& name, const std::string& text, bool is_stored) {
  cel::DeclaredType type(TypeKind::kDyn);
  const auto note = [&](const cel::Type* result, cel::TypeTable&) -> std::optional<std::string> {
    type = DeclareTypeOf(*result);
    return std::nullopt;
  };
  PolicyExpression compiled = CompileBy(text, note, is_stored);
  if (!compiled.program) type = cel::DeclaredType(TypeKind::kDyn);
  std::erase_if(variables_.fields, [&](const cel::DeclaredField& field) { return field.name == name; });
  variables_.fields.push_back({name, std::move(type)});
  std::ranges::sort(variables_.fields, {}, &cel::DeclaredField::name);
  return compiled;
}

}  // namespace berth::server
