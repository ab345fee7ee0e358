// SPDX-License-Identifier: Apache-2.0
#include "world/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "api/decode/decode_parts.h"
#include "api/typed/manifest_problems.h"
#include "runtime/files.h"
#include "runtime/with_file.h"
#include "server/kinds/pods/life_annotations.h"

namespace berth::world {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFileMax = size_t{1} << 31;  // What the parsers take.

bool IsManifestName(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Result<std::vector<std::string>> ListDirectory(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(directory, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_regular_file() && IsManifestName(it->path())) files.push_back(it->path().string());
  }
  if (error) return Fail(Code::kNotFound, fmt::format("{}: {}", directory, error.message()));
  if (files.empty()) return Invalid(fmt::format("{}: no *.yaml, *.yml or *.json files in this directory", directory));
  std::ranges::sort(files);
  return files;
}

std::string ReadAll(std::istream& in) { return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}; }

using Problems = std::vector<api::ManifestProblem>;  // Of one object.

std::vector<std::string> Describe(const api::ManifestObject& object, const std::string& file,
                                  const Problems& problems) {
  std::vector<std::string> described;
  for (const api::ManifestProblem& problem : problems) {
    const std::string where = problem.line == 0 ? file : fmt::format("{}:{}", file, problem.line);
    described.push_back(fmt::format("{}: {}: {}", where, api::DescribeObject(object.kind, object.value), problem.text));
  }
  return described;
}

// Of a pod or a template of pods.
void CheckAnnotations(api::Value pod, Problems& problems) {
  const api::Value annotations = pod["metadata"]["annotations"];
  for (size_t i = 0; i < annotations.size(); ++i) {
    const api::Value value = annotations[i];
    const std::string problem = server::LifeAnnotationProblem(annotations.key(i), value.text());
    if (problem.empty()) continue;
    problems.push_back(
        {value.line(), fmt::format("annotation {}: \"{}\": {}", annotations.key(i), value.text(), problem)});
  }
}

Problems ProblemsOf(const api::ManifestObject& object) {
  Problems problems = api::ManifestProblems(object);
  if (object.kind == "Pod") CheckAnnotations(object.value, problems);
  CheckAnnotations(object.value["spec"]["template"], problems);
  CheckAnnotations(object.value["spec"]["jobTemplate"]["spec"]["template"], problems);
  return problems;
}

std::vector<Problems> ProblemsOf(const std::vector<api::ManifestObject>& objects) {
  std::vector<Problems> problems;
  for (const api::ManifestObject& object : objects) problems.push_back(ProblemsOf(object));
  return problems;
}

// What is wrong with each of the objects of a text. The parser of JSON knows no lines; but JSON is YAML too, and where
// something is wrong and that parser finds the same objects, it tells the line.
std::vector<Problems> ProblemsOf(const std::vector<api::ManifestObject>& objects, std::string_view text) {
  std::vector<Problems> problems = ProblemsOf(objects);
  const auto lacks_line = [](const Problems& each) { return !each.empty() && each.front().line == 0; };
  if (std::ranges::none_of(problems, lacks_line)) return problems;
  const Result<std::vector<api::Document>> documents = api::ParseYaml(text);
  if (!documents) return problems;
  const Result<std::vector<api::ManifestObject>> same = api::FlattenManifests(*documents);
  return same && same->size() == objects.size() ? ProblemsOf(*same) : problems;
}

// The files that `path` stands for.
Result<std::vector<std::string>> ListFiles(const std::string& path) {
  if (IsUrl(path)) {
    return Invalid(fmt::format("{0}: addresses are not read; download it first: curl -LO {0}", path));
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return Fail(Code::kNotFound, fmt::format("{}: no such file or directory", path));
  if (fs::is_directory(status)) return ListDirectory(path);
  return std::vector<std::string>{path};
}

}  // namespace

bool IsUrl(std::string_view path) { return path.starts_with("http://") || path.starts_with("https://"); }

Result<void> Manifests::Add(std::string_view text, const std::string& name) {
  Result<std::vector<api::Document>> parsed = api::ParseJsonOrYaml(text);
  if (!parsed) return Fail(parsed.error().code, runtime::WithFile(name, parsed.error().message));
  const std::vector<api::Document>& documents = documents_.emplace_back(*std::move(parsed));
  Result<std::vector<api::ManifestObject>> objects = api::FlattenManifests(documents);
  if (!objects) return Fail(objects.error().code, runtime::WithFile(name, objects.error().message));
  const std::vector<Problems> problems = ProblemsOf(*objects, text);
  for (size_t i = 0; i < objects->size(); ++i) {
    api::ManifestObject& object = (*objects)[i];
    const uint32_t line = object.value.line();
    std::vector<std::string> described = Describe(object, name, problems[i]);
    all_.push_back({std::move(object), line == 0 ? name : fmt::format("{}:{}", name, line), std::move(described)});
  }
  return {};
}

void Manifests::Add(Manifest manifest, const std::string& file) {
  manifest.problems = Describe(manifest.object, file, ProblemsOf(manifest.object));
  all_.push_back(std::move(manifest));
}

Result<Manifests> Manifests::Read(const std::vector<std::string>& paths, std::istream& standard_input) {
  Manifests manifests;
  for (const std::string& path : paths) {
    if (path == "-") {
      BERTH_CHECK_OK(manifests.Add(ReadAll(standard_input), "standard input"));
      continue;
    }
    const std::vector<std::string> files = BERTH_TRY(ListFiles(path));
    for (const std::string& file : files) {
      const std::string text = BERTH_TRY(runtime::ReadFile(file, kFileMax));
      BERTH_CHECK_OK(manifests.Add(text, file));
    }
  }
  return manifests;
}

}  // namespace berth::world
