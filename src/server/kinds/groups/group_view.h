// SPDX-License-Identifier: Apache-2.0
// Groups and workloads as the older version of their group shows them: by another name, otherwise the same.

#pragma once

#include <utility>

#include "server/model/json.h"

namespace berth::server {

inline Json ToBetaGroup(Json object) {
  if (object.Has("apiVersion")) object.Set("apiVersion", "scheduling.k8s.io/v1beta1");
  return object;
}

inline Json ToAlphaGroup(Json object) {
  if (object.Has("apiVersion")) object.Set("apiVersion", "scheduling.k8s.io/v1alpha3");
  return object;
}

}  // namespace berth::server
