// SPDX-License-Identifier: Apache-2.0
#include "explain/pod_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace berth::explain {
namespace {

using api::Json;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  constexpr std::string_view kBlanks = " \t\n\r";
  while (true) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return words;
    text.remove_prefix(begin);
    const size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(Lower(text.substr(0, end)));
    text.remove_prefix(end);
  }
}

std::string OwnerText(const cluster::PodInfo& pod) {
  const api::OwnerReference& owner = pod.pod_template->controller;
  return owner.kind.empty() ? "" : fmt::format("{} {}", owner.kind, owner.name);
}

// Pods of one owner and with the same labels are looked at through one text.
class Matcher {
 public:
  explicit Matcher(const std::string& words) : words_(WordsOf(words)) {}

  bool Matches(const cluster::PodInfo& pod) {
    const uint64_t shared = SharedOf(pod);
    if (shared == all()) return true;
    const std::string name = Lower(pod.full_name());
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((shared >> i & 1) == 0 && name.find(words_[i]) == name.npos) return false;
    }
    return true;
  }

 private:
  uint64_t all() const { return (uint64_t{1} << words_.size()) - 1; }

  // One bit for each word that labels or owner have.
  uint64_t SharedOf(const cluster::PodInfo& pod) {
    const auto [entry, is_new] = known_.try_emplace({pod.pod_template.get(), pod.label_set.get()}, 0);
    if (!is_new) return entry->second;
    std::string text = Lower(OwnerText(pod));
    for (const auto& [key, value] : pod.labels()) text += "\n" + Lower(key) + "=" + Lower(value);
    for (size_t i = 0; i < words_.size(); ++i) {
      if (text.find(words_[i]) != text.npos) entry->second |= uint64_t{1} << i;
    }
    return entry->second;
  }

  std::vector<std::string> words_;
  std::map<std::pair<const void*, const void*>, uint64_t> known_;
};

constexpr size_t kWordsMax = 16;

}  // namespace

Result<PodSearch> ParsePodSearch(const Json& body) {
  if (!body.is_map()) return Invalid("question: must be an object");
  PodSearch search;
  search.words = body["words"].text();
  if (search.words.size() > kWordsBytesMax || WordsOf(search.words).size() > kWordsMax) {
    return Invalid(fmt::format("words: must be {} at most, of {} bytes in all", kWordsMax, kWordsBytesMax));
  }
  if (WordsOf(search.words).empty()) return Invalid("words: must not be empty");
  if (body.Has("limit")) search.limit = body["limit"].IntOr(0);
  if (search.limit < 1 || search.limit > kFoundPodsMax) {
    return Invalid(fmt::format("limit: must be a number from 1 to {}", kFoundPodsMax));
  }
  return search;
}

Json ToJson(const PodSearch& search) {
  return Json{{"words", Json::String(search.words)}, {"limit", Json::Int(search.limit)}};
}

Result<FoundPods> FindPods(const scheduler::Core& core, const PodSearch& search, Pacer& pacer) {
  Matcher matcher(search.words);
  std::vector<cluster::PodPtr> found;
  Result<void> paused;
  core.pods().ForEach([&](const cluster::PodPtr& pod) {
    if (!paused) return;
    if (matcher.Matches(*pod)) found.push_back(pod);
    paused = pacer.Pause();
  });
  BERTH_CHECK_OK(paused);
  FoundPods answer{.count = found.size(), .pods = {}, .nodes = {}};
  for (const cluster::PodPtr& pod : found) {
    if (!pod->node_name.empty()) ++answer.nodes[pod->node_name];
    BERTH_CHECK_OK(pacer.Pause());
  }
  const auto shown = static_cast<ptrdiff_t>(std::min(found.size(), static_cast<size_t>(search.limit)));
  std::ranges::partial_sort(found, found.begin() + shown, {},
                            [](const cluster::PodPtr& pod) { return std::tie(pod->ns(), pod->name); });
  for (ptrdiff_t i = 0; i < shown; ++i) {
    const cluster::PodInfo& pod = *found[static_cast<size_t>(i)];
    answer.pods.push_back({pod.ns(), pod.name, OwnerText(pod), pod.node_name});
  }
  return answer;
}

Json ToJson(const FoundPods& found) {
  Json pods = Json::MakeList();
  for (const FoundPods::Pod& pod : found.pods) {
    Json one{{"namespace", Json::String(pod.ns)}, {"name", Json::String(pod.name)}};
    if (!pod.owner.empty()) one.Set("owner", std::string_view(pod.owner));
    if (!pod.node.empty()) one.Set("node", std::string_view(pod.node));
    pods.Append(std::move(one));
  }
  Json nodes = Json::MakeList();
  for (const auto& [node, count] : found.nodes) {
    nodes.Append(Json{{"node", Json::String(node)}, {"count", Json::Int(static_cast<int64_t>(count))}});
  }
  return Json{
      {"count", Json::Int(static_cast<int64_t>(found.count))}, {"pods", std::move(pods)}, {"nodes", std::move(nodes)}};
}

}  // namespace berth::explain
