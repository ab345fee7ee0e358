// SPDX-License-Identifier: Apache-2.0
// How upstream's error texts show whole values: the JSON of its internal structs.

#pragma once

#include <string>
#include <variant>

#include "config/args_writer.h"
#include "config/field_errors.h"

namespace berth::config {

template <class T>
std::string InternalJson(const T& value) {
  api::JsonWriter json;
  ArgsWriter(json, JsonForm::kInternal).Write(value);
  return GoJson(json.Take());
}

inline std::string InternalJson(const framework::PluginArgs& args) {
  return std::holds_alternative<std::monostate>(args) ? "null" : InternalJson<framework::PluginArgs>(args);
}

}  // namespace berth::config
