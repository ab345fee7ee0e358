// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/command_line/with_file.h"
#include "app/simulate/expand.h"
#include "app/simulate/timeline/compiler.h"
#include "app/simulate/timeline/fields.h"
#include "runtime/files.h"

namespace berth::simulate {
namespace {

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

Result<Arrivals> ReadArrivals(const Fields& fields, Compiler& compiler) {
  Arrivals arrivals;
  arrivals.from = BERTH_TRY(fields.ReadDuration("from")).value_or(Duration{});
  arrivals.until = BERTH_TRY(fields.ReadDuration("until"));
  if (arrivals.until && *arrivals.until <= arrivals.from) return fields.Wrong("until", "must be later than from");
  arrivals.gap = BERTH_TRY(ReadGap(fields));
  if (arrivals.until && (*arrivals.until - arrivals.from).nanos / arrivals.gap.nanos > kPodsMax) {
    return fields.Wrong("", fmt::format("makes too many pods: a simulation makes {} at most", kPodsMax));
  }
  arrivals.poisson = BERTH_TRY(fields.ReadBool("poisson"));
  arrivals.runs = BERTH_TRY(fields.ReadDuration("runs"));
  arrivals.pod = BERTH_TRY(compiler.Template(fields, arrivals.name_prefix));
  return arrivals;
}

Result<TimelineEvent> ReadEvent(const Fields& fields, const std::string& file, const std::string& where,
                                Compiler& compiler) {
  TimelineEvent event{BERTH_TRY(fields.RequireDuration("at")), {}};
  int actions = 0;
  for (const char* action : {"create", "file", "delete", "drain", "patch"}) actions += fields.Has(action) ? 1 : 0;
  if (actions != 1) return fields.Wrong("", "needs one of create, file, delete, drain and patch");
  const bool creates = fields.Has("create") || fields.Has("file");
  if (fields.Has("runs") && !creates) return fields.Wrong("runs", "belongs to create and file");
  const auto open = [&](const std::string& action, std::initializer_list<std::string_view> known) {
    return Fields::Open(fields[action], file, where + "." + action, known);
  };
  if (fields.Has("delete")) {
    const Fields target = BERTH_TRY(open("delete", {"kind", "name", "namespace"}));
    event.what = BERTH_TRY(compiler.Delete(target));
  } else if (fields.Has("drain")) {
    const Fields target = BERTH_TRY(open("drain", {"name"}));
    event.what = BERTH_TRY(compiler.Drain(target));
  } else if (fields.Has("patch")) {
    const Fields target = BERTH_TRY(open("patch", {"kind", "name", "namespace", "patch"}));
    event.what = BERTH_TRY(compiler.Patch(target));
  } else {
    CreateObjects created = BERTH_TRY(compiler.Create(fields));
    created.runs = BERTH_TRY(fields.ReadDuration("runs"));
    if (created.runs && created.objects.pods.empty()) return fields.Wrong("runs", "has no effect without pods");
    event.what = std::move(created);
  }
  return event;
}

class Reading {
 public:
  Reading(const std::string& file, const Manifests& cluster, const World& world)
      : file_(file), compiler_(file, cluster, world) {}

  Result<Timeline> Run(api::Value root) {
    const Fields top = BERTH_TRY(Fields::Open(root, file_, "", {"settings", "events", "arrivals"}));
    timeline_.settings = BERTH_TRY(ReadSettings(top["settings"], file_));
    BERTH_CHECK_OK(Collect(top, "events", "at", {"at", "create", "file", "delete", "drain", "patch", "runs"}));
    BERTH_CHECK_OK(Collect(top, "arrivals", "from", {"from", "until", "every", "rate", "poisson", "pod", "runs"}));
    std::ranges::stable_sort(items_, {}, &Item::at);
    for (const Item& item : items_) {
      if (item.is_event) {
        timeline_.events.push_back(BERTH_TRY(ReadEvent(item.fields, file_, item.where, compiler_)));
      } else {
        timeline_.arrivals.push_back(BERTH_TRY(ReadArrivals(item.fields, compiler_)));
      }
    }
    timeline_.names = compiler_.TakeNames();
    timeline_.notes = compiler_.TakeNotes();
    return std::move(timeline_);
  }

 private:
  struct Item {
    Duration at;
    bool is_event;
    std::string where;
    Fields fields;
  };

  Result<void> Collect(const Fields& top, std::string_view list, std::string_view time,
                       std::initializer_list<std::string_view> known) {
    const api::Value items = top[list];
    if (!items.is_null() && !items.is_list()) return top.Wrong(list, "must be a list");
    for (size_t i = 0; i < items.size(); ++i) {
      const Fields fields = BERTH_TRY(Fields::Open(items[i], file_, At(list, i), known));
      const Duration at = BERTH_TRY(fields.ReadDuration(time)).value_or(Duration{});
      items_.push_back({at, list == "events", At(list, i), fields});
    }
    return {};
  }

  std::string file_;
  Compiler compiler_;
  std::vector<Item> items_;
  Timeline timeline_;
};

}  // namespace

Result<Timeline> ParseTimeline(std::string_view text, const std::string& path, const Manifests& cluster,
                               const World& world) {
  const Result<std::vector<api::Document>> documents = api::ParseJsonOrYaml(text);
  if (!documents) return Invalid(app::WithFile(path, documents.error().message));
  if (documents->size() != 1) return Invalid(fmt::format("{}: a timeline is one document", path));
  return Reading(path, cluster, world).Run(documents->front().root());
}

Result<Timeline> ReadTimeline(const std::string& path, const Manifests& cluster, const World& world) {
  const std::string text = BERTH_TRY(runtime::ReadFile(path));
  return ParseTimeline(text, path, cluster, world);
}

}  // namespace berth::simulate
