// SPDX-License-Identifier: Apache-2.0
#include "app/convert_policy/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/command_line/standard_output.h"
#include "app/convert_policy/convert.h"
#include "runtime/files.h"

namespace berth::convert_policy {
namespace {

constexpr int kExitPrinted = 0;
constexpr int kExitBadPolicy = 2;
constexpr int kExitNotEquivalent = 3;

constexpr std::string_view kDescription =
    R"(Turns a legacy scheduler Policy into a KubeSchedulerConfiguration.

The configuration is printed as YAML. What it says in another way than the policy, or cannot
say at all, stands in comments at its top and on the standard error output, with a reason and
what can be done instead.)";

constexpr std::string_view kFooter =
    R"(Exit code: 0 a configuration was printed, 2 the policy is bad, 3 with --strict: something in it
has no equivalent.

Examples:
  berth convert-policy policy.json > config.yaml
  berth convert-policy --policy-compat=v1.16 --strict policy.yaml
  kubectl -n kube-system get configmap scheduler-policy \
    -o jsonpath='{.data.policy\.cfg}' | berth convert-policy -)";

constexpr std::array<std::string_view, 3> kReleases = {"v1.22", "v1.21", "v1.16"};

struct Options {
  std::string file;
  std::string release = std::string(kReleases.front());
  bool is_release_given = false;
  bool is_strict = false;
};

Result<std::string> ReadPolicyText(const std::string& file) {
  if (file != "-") return runtime::ReadFile(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

Result<Conversion> ConvertFile(const Options& options) {
  const std::string text = BERTH_TRY(ReadPolicyText(options.file));
  Result<Conversion> conversion = Convert(text, options.release);
  if (conversion || options.is_release_given) return conversion;
  std::vector<std::string_view> others;
  std::ranges::copy_if(kReleases, std::back_inserter(others),
                       [&](std::string_view release) { return Convert(text, release).has_value(); });
  if (others.empty()) return conversion;
  return Invalid(fmt::format("{}\nIt can be read as a policy of {}: give --policy-compat", conversion.error().message,
                             fmt::join(others, " or ")));
}

int Run(const Options& options) {
  const Result<Conversion> conversion = ConvertFile(options);
  if (!conversion) {
    fmt::print(stderr, "berth convert-policy: {}\n", conversion.error().message);
    return kExitBadPolicy;
  }
  app::Print(conversion->yaml);
  for (const std::string& note : conversion->notes) fmt::print(stderr, "berth convert-policy: {}\n", note);
  return options.is_strict && !conversion->is_equivalent ? kExitNotEquivalent : kExitPrinted;
}

}  // namespace

void AddCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert-policy", std::string(kDescription));
  command->footer(std::string(kFooter));
  command->add_option("file", options->file, "The policy, as JSON or YAML; - is the standard input")
      ->required()
      ->type_name("FILE");
  CLI::Option* release =
      command->add_option("--policy-compat", options->release, "The release that the policy was written for");
  release->check(CLI::IsMember({"v1.16", "v1.21", "v1.22"}))->type_name("v1.16|v1.21|v1.22")->capture_default_str();
  command->add_flag("--strict", options->is_strict, "Exit with 3 if something in the policy has no equivalent");
  command->callback([options, release, &exit_code] {
    options->is_release_given = release->count() > 0;
    exit_code = Run(*options);
  });
}

}  // namespace berth::convert_policy
