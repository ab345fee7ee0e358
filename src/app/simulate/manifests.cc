// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace berth::simulate {
namespace {

namespace fs = std::filesystem;

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

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(Code::kNotFound, fmt::format("{}: cannot be opened", path));
  std::string text = ReadAll(file);
  if (file.bad()) return Fail(Code::kUnavailable, fmt::format("{}: cannot be read", path));
  return text;
}

// The files that `path` stands for.
Result<std::vector<std::string>> ListFiles(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return Fail(Code::kNotFound, fmt::format("{}: no such file or directory", path));
  if (fs::is_directory(status)) return ListDirectory(path);
  return std::vector<std::string>{path};
}

}  // namespace

std::string WithFile(std::string_view file, std::string_view message) {
  constexpr std::string_view kLine = "line ";
  const size_t colon = message.find(": ");
  if (!message.starts_with(kLine) || colon == message.npos) return fmt::format("{}: {}", file, message);
  return fmt::format("{}:{}{}", file, message.substr(kLine.size(), colon - kLine.size()), message.substr(colon));
}

Result<void> Manifests::Add(std::string_view text, const std::string& name) {
  Result<std::vector<api::Document>> parsed = api::ParseJsonOrYaml(text);
  if (!parsed) return Fail(parsed.error().code, WithFile(name, parsed.error().message));
  const std::vector<api::Document>& documents = documents_.emplace_back(*std::move(parsed));
  Result<std::vector<api::ManifestObject>> objects = api::FlattenManifests(documents);
  if (!objects) return Fail(objects.error().code, WithFile(name, objects.error().message));
  for (api::ManifestObject& object : *objects) {
    const uint32_t line = object.value.line();
    all_.push_back({std::move(object), line == 0 ? name : fmt::format("{}:{}", name, line)});
  }
  return {};
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
      const std::string text = BERTH_TRY(ReadFile(file));
      BERTH_CHECK_OK(manifests.Add(text, file));
    }
  }
  return manifests;
}

}  // namespace berth::simulate
