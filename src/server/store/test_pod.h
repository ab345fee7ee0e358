// SPDX-License-Identifier: Apache-2.0
// A pod as servers keep them, for benchmarks.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/model/json.h"

namespace berth::server {

// A pod of a Deployment that runs, with all that defaulting, the scheduler and a kubelet add.
inline constexpr std::string_view kBenchPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7f6d9c5b8d-x2x4k","generateName":"web-7f6d9c5b8d-",)"
    R"("namespace":"default","uid":"0c5bd1b4-92a9-4a8c-8f7e-cf0d5bd4c3a7","creationTimestamp":"2026-01-01T00:00:00Z",)"
    R"("labels":{"app":"web","pod-template-hash":"7f6d9c5b8d","tier":"frontend"},"ownerReferences":[{"apiVersion":"apps/v1",)"
    R"("kind":"ReplicaSet","name":"web-7f6d9c5b8d","uid":"5b0a3e9e-7c38-4d54-a7d5-6d0d0b3cf1f2","controller":true,)"
    R"("blockOwnerDeletion":true}],"managedFields":[{"manager":"berth","operation":"Update","apiVersion":"v1","time":)"
    R"("2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},"f:labels":{".":{},)"
    R"("f:app":{},"f:pod-template-hash":{},"f:tier":{}},"f:ownerReferences":{".":{},)"
    R"("k:{\"uid\":\"5b0a3e9e-7c38-4d54-a7d5-6d0d0b3cf1f2\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},)"
    R"("f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},)"
    R"("f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},)"
    R"("f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}]},)"
    R"("spec":{"containers":[{"name":"main","image":"registry.example/web:1.2.3","resources":{"requests":{"cpu":"100m",)"
    R"("memory":"128Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
    R"("imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":)"
    R"("ClusterFirst","serviceAccountName":"default","serviceAccount":"default","nodeName":"node-17","securityContext":{},)"
    R"("schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
    R"("effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":)"
    R"("NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":)"
    R"("PreemptLowerPriority"},"status":{"phase":"Running","conditions":[{"type":"PodScheduled","status":"True",)"
    R"("lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Ready","status":"True","lastProbeTime":)"
    R"(null,"lastTransitionTime":"2026-01-01T00:00:01Z"}],"podIP":"10.1.2.3","podIPs":[{"ip":"10.1.2.3"}],"startTime":)"
    R"("2026-01-01T00:00:00Z","qosClass":"Burstable"}})";

inline Json BenchPod(int64_t number) {
  static const Json pod = *ParseTree(kBenchPod);
  Json copy = pod;
  copy.Make({"metadata", "name"}) = Json::String("web-7f6d9c5b8d-" + std::to_string(number));
  return copy;
}

}  // namespace berth::server
