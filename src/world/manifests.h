// SPDX-License-Identifier: Apache-2.0
// Manifests: the API objects in files, directories and standard input, before they are decoded.
//
// A directory is read recursively (*.yaml, *.yml, *.json) in order of path, `-` is standard input. Documents may be
// single objects or lists as `kubectl get -o yaml` prints them. Each object remembers where it came from, and what in
// it Kubernetes does not know.

#pragma once

#include <deque>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode/object_stream.h"
#include "api/document/value.h"
#include "base/result.h"

namespace berth::world {

struct Manifest {
  api::ManifestObject object;  // Lives as long as the Manifests.
  std::string origin;          // "pods/web.yaml:12", or the file alone where the line is not known.
  // What is misspelt or unknown: "pods/web.yaml:17: Pod web: unknown field ...".
  std::vector<std::string> problems = {};
};

class Manifests {
 public:
  Manifests() = default;
  Manifests(Manifests&&) = default;
  Manifests& operator=(Manifests&&) = default;

  // Reads `paths` in their order. Errors name the file, and the line where it is known.
  static Result<Manifests> Read(const std::vector<std::string>& paths, std::istream& standard_input);

  // Reads one text. `name` stands for the file in origins and errors.
  Result<void> Add(std::string_view text, const std::string& name);

  // Adds an object of `file` whose value lives longer than this.
  void Add(Manifest manifest, const std::string& file);

  const std::vector<Manifest>& all() const { return all_; }

 private:
  std::deque<std::vector<api::Document>> documents_;  // Never moved: values point into them.
  std::vector<Manifest> all_;
};

// Whether a path is the address of a file on a web server.
bool IsUrl(std::string_view path);

}  // namespace berth::world
