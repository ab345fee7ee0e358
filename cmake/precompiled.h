// SPDX-License-Identifier: Apache-2.0
// Headers that most files include; see berth_precompiled in BerthModule.cmake.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/cluster.h"
#include "framework/plugin.h"
#include "framework/profile.h"
