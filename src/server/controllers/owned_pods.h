// SPDX-License-Identifier: Apache-2.0
// What controllers of pods have in common: making pods from a template, and choosing those that go first.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/controllers/controller.h"

namespace berth::server {

// Names the version of the template that a pod was made from.
inline constexpr std::string_view kVersionLabel = "controller-revision-hash";

// The reference of an object to the one that controls it.
Json ControllerReference(const StoredObject& owner);

// The reference to the object that controls this one; null if there is none. It lives as long as `object`.
const Json& ControllerOf(const Json& object);
// Makes `owner` the one that controls `object`, which nobody controls.
bool TakeOver(const Controller& controller, const Cluster& cluster, const StoredObject& owner,
              const StoredObject& object);

// A pod as the template says, owned by `owner`. It has no name yet.
Json PodFromTemplate(const Json& pod_template, const StoredObject& owner);

// The pods that `owner` controls, whatever their state. Pods come and go while one works with them, so these are
// copies.
std::vector<PodInfo> PodsOf(const Cluster& cluster, const StoredObject& owner);

// Takes over pods that match the owner's selector and that nobody controls.
bool AdoptPods(const Controller& controller, const Cluster& cluster, const StoredObject& owner, const Json& selector);

// Sorts pods so that those whose loss hurts least come first: unbound, pending, not ready, newest.
void SortForRemoval(std::vector<PodInfo>& pods);

// Deletes the pod. A pod that is gone already is no failure.
bool DeletePod(const Cluster& cluster, const PodInfo& pod);

// A number that tells templates apart, written as upstream writes such numbers in names.
std::string TemplateHash(const Json& pod_template);

// Writes the status that `edit` makes of the present one.
bool WriteStatus(const Cluster& cluster, const StoredObject& object, std::move_only_function<void(Json& status)> edit);

}  // namespace berth::server
