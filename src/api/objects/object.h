// SPDX-License-Identifier: Apache-2.0
// Object: any API object that the scheduler reads.

#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <variant>

#include "api/objects/coscheduled_group.h"
#include "api/objects/kinds.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "api/objects/pod_group.h"
#include "api/objects/resource_claim.h"
#include "api/objects/resource_slice.h"
#include "api/objects/storage.h"
#include "api/objects/workload.h"

namespace berth::api {

#define BERTH_NEXT_KIND(type, ...) , type
using Object = std::variant<Pod, Node BERTH_STORED_KINDS(BERTH_NEXT_KIND)>;
#undef BERTH_NEXT_KIND

// In the order of the alternatives.
#define BERTH_ROW(type, store, ...) KindRow{__VA_ARGS__},
inline constexpr std::array<KindRow, std::variant_size_v<Object>> kKindRows = {{BERTH_KINDS(BERTH_ROW)}};
#undef BERTH_ROW

template <class T>
constexpr const KindRow& RowOf() {
  return []<class... U>(std::type_identity<std::variant<U...>>) -> const KindRow& {
    size_t index = 0;
    (void)((std::is_same_v<T, U> || (++index, false)) || ...);
    return kKindRows[index];
  }(std::type_identity<Object>());
}

// The kind of its row, such as "PersistentVolumeClaim".
inline std::string_view KindOf(const Object& object) { return kKindRows[object.index()].kind; }
const ObjectMeta& MetaOf(const Object& object);

}  // namespace berth::api
