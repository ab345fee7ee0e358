// SPDX-License-Identifier: Apache-2.0
// Bindings between flags and variables, by type. Each refers to its variable, which must outlive it.
//
// Lists and maps are replaced by the first value given, and extended by further ones.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/scheduler/flags/flag_set.h"
#include "app/scheduler/flags/options.h"
#include "config/policy/policy.h"

namespace berth::scheduler_app {

// Gates and their values by component; the empty name is the default component. `a:X=true,Y=false`.
using GatesByComponent = std::map<std::string, std::vector<std::string>>;

FlagBinding BindString(std::string& value);
FlagBinding BindBool(bool& value);
FlagBinding BindInt(int64_t& value);
FlagBinding BindInt32(int32_t& value);
FlagBinding BindFloat(float& value);
FlagBinding BindDuration(Duration& value);
FlagBinding BindIp(std::string& value);    // An empty text changes nothing.
FlagBinding BindQuantity(int64_t& value);  // Bytes, such as 4Mi; rounded up.
FlagBinding BindLevel(uint32_t& value);    // 0 to 2^31-1.
FlagBinding BindStrings(std::vector<std::string>& value);
FlagBinding BindInt32s(std::vector<int32_t>& value);
FlagBinding BindStringMap(std::map<std::string, std::string>& value);
FlagBinding BindModules(std::vector<ModuleVerbosity>& value);
FlagBinding BindCertificates(std::vector<SniCertificate>& value);
FlagBinding BindGates(GatesByComponent& value);
FlagBinding BindPolicyCompat(config::PolicyCompat& value);
// "true", "false", "raw", or a version to report such as v1.37.1-mine.
FlagBinding BindVersion(std::string& value);

}  // namespace berth::scheduler_app
