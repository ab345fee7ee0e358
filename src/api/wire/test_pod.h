// SPDX-License-Identifier: Apache-2.0
// A pod to measure codecs with.

#pragma once

#include <string>
#include <string_view>

namespace berth::api::wire {

// A pod as a kubelet leaves it: what a scheduler gets for most pods of a cluster.
inline constexpr std::string_view kPodMembers =
    R"({"metadata":{"name":"web-7d4b9c6f5-x2x7k","generateName":"web-7d4b9c6f5-","namespace":"default",)"
    R"("uid":"6fd4c2b8-2f6b-4d3e-9a57-1c0e6a1f9b11","resourceVersion":"123456","creationTimestamp":"2026-01-01T00:00:00Z",)"
    R"("labels":{"app":"web","pod-template-hash":"7d4b9c6f5","tier":"front"},"annotations":{"checksum/config":"8f14e45f"},)"
    R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d4b9c6f5",)"
    R"("uid":"0b3f6a52-92a2-4c51-8c6f-1d5f3c1f5b7e","controller":true,"blockOwnerDeletion":true}],)"
    R"("managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",)"
    R"("time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},"f:labels":)"
    R"({".":{},"f:app":{},"f:tier":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"0b3f6a52\"}":{}}},"f:spec":)"
    R"({"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:name":{},"f:resources":{".":{},"f:limits":{}}}}}}}]},)"
    R"("spec":{"volumes":[{"name":"kube-api-access-abcde","projected":{"sources":[{"serviceAccountToken":)"
    R"({"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt",)"
    R"("path":"ca.crt"}]}}],"defaultMode":420}}],"containers":[{"name":"main","image":"registry.example.com/web:1.7",)"
    R"("args":["--v=2"],"ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[{"name":"A","value":"b"}],"resources":)"
    R"({"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},"volumeMounts":[{"name":)"
    R"("kube-api-access-abcde","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],)"
    R"("readinessProbe":{"httpGet":{"path":"/ready","port":8080,"scheme":"HTTP"},"periodSeconds":10},)"
    R"("terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always",)"
    R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","nodeName":"node-17",)"
    R"("securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready",)"
    R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable",)"
    R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,)"
    R"("preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",)"
    R"("lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:05Z"},{"type":"PodScheduled","status":"True",)"
    R"("lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z"}],"hostIP":"10.0.0.17","podIP":"10.1.3.4",)"
    R"("podIPs":[{"ip":"10.1.3.4"}],"startTime":"2026-01-01T00:00:00Z","containerStatuses":[{"name":"main","state":)"
    R"({"running":{"startedAt":"2026-01-01T00:00:03Z"}},"lastState":{},"ready":true,"restartCount":0,"image":)"
    R"("registry.example.com/web:1.7","imageID":"sha256:9f86d081884c7d65","containerID":"containerd://2c26b46b68ffc68f",)"
    R"("started":true}],"qosClass":"Burstable"}})";

inline std::string PodJson() { return R"({"kind":"Pod","apiVersion":"v1",)" + std::string(kPodMembers.substr(1)); }

}  // namespace berth::api::wire
