// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/input/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "api/decode/decode.h"
#include "api/typed/typed.h"
#include "app/simulate/input/fields.h"
#include "base/similar_word.h"
#include "runtime/files.h"
#include "runtime/with_file.h"
#include "world/loader.h"

namespace berth::simulate {
namespace {

using server::Json;

Result<TimelineSettings> ReadSettings(api::Value value, const std::string& file) {
  TimelineSettings settings;
  if (value.is_null()) return settings;
  const Fields fields = BERTH_TRY(Fields::Open(
      value, file, "settings", {"bindLatency", "evictionGracePeriod", "schedulingInterval", "sampleInterval"}));
  const auto read = [&](std::string_view name, Duration& setting) -> Result<void> {
    setting = BERTH_TRY(fields.ReadDuration(name)).value_or(setting);
    return {};
  };
  BERTH_CHECK_OK(read("bindLatency", settings.bind_latency));
  BERTH_CHECK_OK(read("evictionGracePeriod", settings.eviction_grace_period));
  BERTH_CHECK_OK(read("schedulingInterval", settings.scheduling_interval));
  BERTH_CHECK_OK(read("sampleInterval", settings.sample_interval));
  if (settings.sample_interval == Duration{}) return fields.Wrong("sampleInterval", "must be more than 0");
  return settings;
}

// From a rate such as 30/min to the gap between two arrivals.
Result<Duration> ReadRate(const Fields& fields) {
  const std::string text = BERTH_TRY(fields.RequireText("rate"));
  const size_t slash = text.find('/');
  const std::string unit = slash == text.npos ? "" : text.substr(slash + 1);
  const Duration per = unit == "s" ? Seconds(1) : unit == "min" ? Minutes(1) : unit == "h" ? Minutes(60) : Duration{};
  char* end = nullptr;
  const std::string number = text.substr(0, slash);
  const double count = std::strtod(number.c_str(), &end);
  const bool is_number = !number.empty() && *end == '\0' && std::isfinite(count) && count > 0;
  if (per == Duration{} || !is_number) {
    return fields.Wrong("rate", fmt::format("\"{}\" is no rate, such as 5/s, 30/min or 100/h", text));
  }
  const double gap = static_cast<double>(per.nanos) / count;
  if (gap < 1 || gap > 1e18) return fields.Wrong("rate", "is out of range");
  return Duration{std::llround(gap)};
}

Result<Duration> ReadGap(const Fields& fields) {
  if (fields.Has("every") == fields.Has("rate")) return fields.Wrong("", "needs one of every and rate");
  if (fields.Has("rate")) return ReadRate(fields);
  const Duration gap = BERTH_TRY(fields.RequireDuration("every"));
  if (gap == Duration{}) return fields.Wrong("every", "must be more than 0");
  return gap;
}

// A pod with a generateName.
Result<Json> ReadTemplate(const Fields& arrivals, const std::string& file, const server::Catalog& catalog) {
  const api::Value pod = arrivals["pod"];
  const api::Value meta = pod["metadata"];
  if (meta["generateName"].text().empty() || !meta["name"].is_null()) {
    return arrivals.Wrong("pod.metadata", "must have a generateName and no name");
  }
  Manifests written;
  written.Add(Manifest{{.kind = "Pod", .api_version = "v1", .value = pod}, arrivals.origin()}, file);
  const std::vector<std::string>& problems = written.all().front().problems;
  if (!problems.empty()) return Invalid(problems.front());
  if (const Result<api::Pod> decoded = api::DecodePod(pod); !decoded)
    return arrivals.Wrong("pod", decoded.error().message);
  Json object = Json::FromValue(pod);
  object.Set("kind", "Pod");
  object.Set("apiVersion", "v1");
  const Result<void> canonical = api::Canonicalize(object, catalog.Get("", "pods").message());
  if (!canonical) return arrivals.Wrong("pod", canonical.error().message);
  return object;
}

Result<Arrivals> ReadArrivals(const Fields& fields, const std::string& file, const server::Catalog& catalog) {
  Arrivals arrivals;
  arrivals.from = BERTH_TRY(fields.ReadDuration("from")).value_or(Duration{});
  arrivals.until = BERTH_TRY(fields.ReadDuration("until"));
  if (arrivals.until && *arrivals.until <= arrivals.from) return fields.Wrong("until", "must be later than from");
  arrivals.gap = BERTH_TRY(ReadGap(fields));
  if (arrivals.until && (*arrivals.until - arrivals.from).nanos / arrivals.gap.nanos > world::kPodsMax) {
    return fields.Wrong("", fmt::format("makes too many pods: a simulation makes {} at most", world::kPodsMax));
  }
  arrivals.poisson = BERTH_TRY(fields.ReadBool("poisson"));
  const std::optional<Duration> runs = BERTH_TRY(fields.ReadDuration("runs"));
  arrivals.pod = BERTH_TRY(ReadTemplate(fields, file, catalog));
  if (runs) world::SetRuns(arrivals.pod, *runs);
  const std::string& ns = arrivals.pod["metadata"]["namespace"].text();
  arrivals.ns = ns.empty() ? "default" : ns;
  arrivals.origin = fields.place();
  return arrivals;
}

Result<Manifest> ManifestOf(api::Value value, const Fields& event) {
  std::string kind(value["kind"].text());
  if (kind.empty()) return event.Wrong("create", "must be a manifest or a list of manifests, each with its kind");
  api::ManifestObject object{
      .kind = std::move(kind), .api_version = std::string(value["apiVersion"].text()), .value = value};
  return Manifest{std::move(object), event.origin()};
}

// `create`, a manifest or a list of them, or `file`.
Result<CreateObjects> ReadCreation(const Fields& event, const std::string& timeline) {
  CreateObjects creation;
  creation.runs = BERTH_TRY(event.ReadDuration("runs"));
  Manifests& manifests = creation.manifests;
  if (event.Has("file")) {
    const std::filesystem::path file = BERTH_TRY(event.RequireText("file"));
    std::istringstream nothing;
    manifests = BERTH_TRY(Manifests::Read({(std::filesystem::path(timeline).parent_path() / file).string()}, nothing));
  } else if (const api::Value create = event["create"]; create.is_list()) {
    for (size_t i = 0; i < create.size(); ++i) manifests.Add(BERTH_TRY(ManifestOf(create[i], event)), timeline);
  } else {
    manifests.Add(BERTH_TRY(ManifestOf(create, event)), timeline);
  }
  for (const Manifest& manifest : manifests.all()) {
    if (!manifest.problems.empty() && !manifest.object.is_from_server) return Invalid(manifest.problems.front());
  }
  const auto makes_pods = [](const Manifest& manifest) {
    const api::Value spec = manifest.object.value["spec"];
    return manifest.object.kind == "Pod" || !spec["template"].is_null() || !spec["jobTemplate"].is_null();
  };
  if (creation.runs && std::ranges::none_of(manifests.all(), makes_pods)) {
    return event.Wrong("runs", "has no effect without pods");
  }
  return creation;
}

Result<Target> ReadTarget(const Fields& target, const server::Catalog& catalog) {
  Target read;
  read.kind = BERTH_TRY(target.RequireText("kind"));
  const server::Resource* resource = catalog.FindKept(read.kind);
  if (resource == nullptr) {
    std::vector<std::string_view> kinds;
    for (const auto& each : catalog.served()) kinds.push_back(each->kind);
    return target.Wrong("kind", fmt::format("there is no {}{}", read.kind, DidYouMean(read.kind, kinds)));
  }
  read.name = BERTH_TRY(target.RequireText("name"));
  read.ns = target["namespace"].text();
  if (!resource->namespaced && !read.ns.empty()) {
    return target.Wrong("namespace", fmt::format("a {} has none", read.kind));
  }
  if (resource->namespaced && read.ns.empty()) read.ns = "default";
  return read;
}

Result<PatchObject> ReadPatch(const Fields& fields, const std::string& file, const server::Catalog& catalog) {
  PatchObject read{BERTH_TRY(ReadTarget(fields, catalog)), {}};
  const api::Value patch = fields["patch"];
  if (!patch.is_map()) return fields.Wrong("patch", "must be a map");
  if (patch.size() == 0) return fields.Wrong("patch", "changes nothing");
  const std::string api_version(catalog.FindKept(read.target.kind)->api_version);
  Manifests written;
  written.Add(Manifest{{.kind = read.target.kind, .api_version = api_version, .value = patch}, fields.origin()}, file);
  const std::vector<std::string>& problems = written.all().front().problems;
  if (!problems.empty()) return Invalid(problems.front());
  read.patch = Json::FromValue(patch);
  return read;
}

class Reading {
 public:
  Reading(const std::string& file, const server::Catalog& catalog) : file_(file), catalog_(catalog) {}

  Result<Timeline> Run(std::vector<api::Document> documents) {
    timeline_.documents = std::move(documents);
    const api::Value root = timeline_.documents.front().root();
    const Fields top = BERTH_TRY(Fields::Open(root, file_, "", {"settings", "events", "arrivals"}));
    timeline_.settings = BERTH_TRY(ReadSettings(top["settings"], file_));
    BERTH_CHECK_OK(Collect(top, "events", {"at", "create", "file", "delete", "drain", "patch", "runs"}));
    BERTH_CHECK_OK(Collect(top, "arrivals", {"from", "until", "every", "rate", "poisson", "pod", "runs"}));
    std::ranges::stable_sort(timeline_.events, {}, &TimelineEvent::at);
    std::ranges::stable_sort(timeline_.arrivals, {}, &Arrivals::from);
    return std::move(timeline_);
  }

 private:
  Result<void> Collect(const Fields& top, std::string_view list, std::initializer_list<std::string_view> known) {
    const api::Value items = top[list];
    if (!items.is_null() && !items.is_list()) return top.Wrong(list, "must be a list");
    for (size_t i = 0; i < items.size(); ++i) {
      const Fields fields = BERTH_TRY(Fields::Open(items[i], file_, At(list, i), known));
      if (list == "events") {
        timeline_.events.push_back(BERTH_TRY(ReadEvent(fields)));
      } else {
        timeline_.arrivals.push_back(BERTH_TRY(ReadArrivals(fields, file_, catalog_)));
      }
    }
    return {};
  }

  Result<TimelineEvent> ReadEvent(const Fields& fields) {
    TimelineEvent event{BERTH_TRY(fields.RequireDuration("at")), fields.place(), {}};
    int actions = 0;
    for (const char* action : {"create", "file", "delete", "drain", "patch"}) actions += fields.Has(action) ? 1 : 0;
    if (actions != 1) return fields.Wrong("", "needs one of create, file, delete, drain and patch");
    const bool creates = fields.Has("create") || fields.Has("file");
    if (fields.Has("runs") && !creates) return fields.Wrong("runs", "belongs to create and file");
    if (creates) {
      event.what = BERTH_TRY(ReadCreation(fields, file_));
    } else if (fields.Has("delete")) {
      const Fields target = BERTH_TRY(fields.Inner("delete", {"kind", "name", "namespace"}));
      event.what = DeleteObject{BERTH_TRY(ReadTarget(target, catalog_))};
    } else if (fields.Has("drain")) {
      const Fields target = BERTH_TRY(fields.Inner("drain", {"name"}));
      event.what = DrainNode{BERTH_TRY(target.RequireText("name"))};
    } else {
      const Fields target = BERTH_TRY(fields.Inner("patch", {"kind", "name", "namespace", "patch"}));
      event.what = BERTH_TRY(ReadPatch(target, file_, catalog_));
    }
    return event;
  }

  std::string file_;
  const server::Catalog& catalog_;
  Timeline timeline_;
};

}  // namespace

Result<Timeline> ParseTimeline(std::string_view text, const std::string& path, const server::Catalog& catalog) {
  Result<std::vector<api::Document>> documents = api::ParseJsonOrYaml(text);
  if (!documents) return Invalid(runtime::WithFile(path, documents.error().message));
  if (documents->size() != 1) return Invalid(fmt::format("{}: a timeline is one document", path));
  return Reading(path, catalog).Run(*std::move(documents));
}

Result<Timeline> ReadTimeline(const std::string& path, const server::Catalog& catalog) {
  const std::string text = BERTH_TRY(runtime::ReadFile(path));
  return ParseTimeline(text, path, catalog);
}

}  // namespace berth::simulate
