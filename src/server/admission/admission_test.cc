// SPDX-License-Identifier: Apache-2.0
#include "server/admission/admission.h"

#include <gtest/gtest.h>

#include <set>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

std::string Pod(std::string_view name, std::string_view more = "") {
  return "metadata: {name: " + std::string(name) + "}\nspec: {containers: [{name: a, image: a}]" + std::string(more) +
         "}";
}

std::string Service(std::string_view name, std::string_view more = "") {
  return "metadata: {name: " + std::string(name) + "}\nspec: {ports: [{port: 80}], selector: {a: b}" +
         std::string(more) + "}";
}

TEST(Admission, NamespacesMustExistAndSomeMustStay) {
  TestCluster cluster(false);
  const auto created = cluster.TryCreate(cluster.Get("", "configmaps"), "metadata: {name: a, namespace: none}");
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().message, "namespaces \"none\" not found");
  const auto deleted = cluster.objects.Delete(cluster.Get("", "namespaces"), "", "kube-system", {});
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, 403);
}

TEST(Admission, PodsGetThePriorityOfTheirClass) {
  TestCluster cluster(false);
  cluster.Create("scheduling.k8s.io", "priorityclasses",
                 "metadata: {name: high}\nvalue: 1000\npreemptionPolicy: Never");
  cluster.Create("", "pods", Pod("plain"));
  cluster.Create("", "pods", Pod("high", ", priorityClassName: high"));
  cluster.Create("scheduling.k8s.io", "priorityclasses", "metadata: {name: usual}\nvalue: 10\nglobalDefault: true");
  cluster.Create("", "pods", Pod("usual"));
  EXPECT_EQ(cluster.Tree("", "pods", "plain")["spec"]["priority"].IntOr(-1), 0);
  EXPECT_EQ(cluster.Tree("", "pods", "high")["spec"]["priority"].IntOr(0), 1000);
  EXPECT_EQ(cluster.Tree("", "pods", "high")["spec"]["preemptionPolicy"].text(), "Never");
  EXPECT_EQ(cluster.Tree("", "pods", "usual")["spec"]["priorityClassName"].text(), "usual");
  const Resource& pods = cluster.Get("", "pods");
  EXPECT_EQ(cluster.TryCreate(pods, Pod("x", ", priorityClassName: none")).error().message,
            "pods \"x\" is forbidden: no PriorityClass with name none was found");
  EXPECT_EQ(cluster.TryCreate(pods, Pod("x", ", priorityClassName: high, priority: 5")).error().code, 403);
}

// What an update of a subresource is refused for; "" if it is not.
template <class Edit>
std::string RefusalOf(TestCluster& cluster, std::string_view pod, std::string_view subresource, Edit edit) {
  const auto written =
      cluster.objects.Update(cluster.Get("", "pods"), "default", pod, {.subresource = std::string(subresource)},
                             [&](const Json& current) -> Outcome<Json> {
                               Json changed = current;
                               edit(changed.Make("spec"));
                               return changed;
                             });
  return written ? "" : written.error().message;
}

TEST(Admission, ResizesKeepToQuotasAndRangesOfLimits) {
  TestCluster cluster(false);
  cluster.Create("", "resourcequotas", "metadata: {name: q}\nspec: {hard: {requests.cpu: '2'}}");
  cluster.Change(
      "", "resourcequotas", "q",
      [](Json& quota) {
        quota.Set("status", Json{{"hard", quota["spec"]["hard"]}, {"used", Json{{"requests.cpu", Json::String("0")}}}});
      },
      "status");
  cluster.Create("", "pods",
                 "metadata: {name: p}\nspec: {containers: [{name: a, image: a, resources: {requests: {cpu: 1}}}]}");
  const auto resize = [&](const std::string& cpu) {
    return RefusalOf(cluster, "p", "resize", [&](Json& spec) {
      spec.Find("containers")->mutable_items()[0].Make({"resources", "requests"}).Set("cpu", cpu);
    });
  };

  EXPECT_EQ(resize("3"),
            "pods \"p\" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=1, limited: "
            "requests.cpu=2");
  EXPECT_EQ(resize("2"), "");
  EXPECT_EQ(cluster.Tree("", "resourcequotas", "q")["status"]["used"]["requests.cpu"].text(), "2");
  cluster.Delete("", "resourcequotas", "q");
  cluster.Create("", "limitranges", "metadata: {name: l}\nspec: {limits: [{type: Container, min: {cpu: 1500m}}]}");
  EXPECT_EQ(resize("1"), "pods \"p\" is forbidden: minimum cpu usage per Container is 1500m, but request is 1");
}

TEST(Admission, PodsKeepToTheStandardOfTheirNamespaceHoweverTheyAreChanged) {
  TestCluster cluster(false);
  cluster.Create("", "pods",
                 "metadata: {name: p}\nspec: {containers: [{name: a, image: a, securityContext: {privileged: true}}]}");
  cluster.Change("", "namespaces", "default", [](Json& space) {
    space.Make({"metadata", "labels"}).Set("pod-security.kubernetes.io/enforce", "baseline");
  });
  for (const std::string_view subresource : {"", "ephemeralcontainers"}) {
    const std::string refusal = RefusalOf(cluster, "p", subresource, [&](Json& spec) {
      if (subresource.empty()) {
        spec.Find("containers")->mutable_items()[0].Set("image", "b");
      } else {
        spec.Make("ephemeralContainers").Append(Json{{"name", Json::String("d")}, {"image", Json::String("i")}});
      }
    });
    EXPECT_EQ(refusal,
              "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": privileged (container \"a\" must not "
              "set securityContext.privileged=true)")
        << subresource;
  }
}

TEST(Admission, TolerationsThatAreMergedAreBounded) {
  TestCluster cluster(false);
  cluster.Create("node.k8s.io", "runtimeclasses",
                 "metadata: {name: c}\nhandler: h\nscheduling: {tolerations: [{key: c, operator: Exists}]}");
  const auto create = [&](int count) {
    std::string tolerations;
    for (int i = 0; i < count; ++i) {
      tolerations += (i == 0 ? "" : ", ") + ("{key: k" + std::to_string(i)) + ", operator: Exists}";
    }
    return cluster.TryCreate(cluster.Get("", "pods"), Pod("p" + std::to_string(count),
                                                          ", runtimeClassName: c, tolerations: [" + tolerations + "]"));
  };

  EXPECT_TRUE(create(990));
  const auto refused = create(1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      "pods \"p1000\" is forbidden: pod rejected: with those of its RuntimeClass it has more than 1000 tolerations");
}

TEST(Admission, GroupsGetThePriorityOfTheirClass) {
  TestCluster cluster(false, WithGroups());
  cluster.Create("scheduling.k8s.io", "priorityclasses", "metadata: {name: high}\nvalue: 1000");
  cluster.Create("scheduling.k8s.io", "priorityclasses", "metadata: {name: quiet}\nvalue: 2\npreemptionPolicy: Never");
  const auto group = [](std::string_view more) {
    return "metadata: {name: x}\nspec: {schedulingPolicy: {basic: {}}" + std::string(more) + "}";
  };
  const Resource& groups = cluster.Get("scheduling.k8s.io", "podgroups");
  const auto refusal = [&](std::string_view more) { return cluster.TryCreate(groups, group(more)).error().message; };

  EXPECT_EQ(refusal(", priorityClassName: none"),
            "podgroups.scheduling.k8s.io \"x\" is forbidden: no PriorityClass with name none was found");
  EXPECT_EQ(refusal(", priorityClassName: high, priority: 5"),
            "podgroups.scheduling.k8s.io \"x\" is forbidden: priority set in the pod group (5) must match the priority "
            "computed (1000) based on the priority class set in the spec");
  EXPECT_EQ(refusal(", priorityClassName: quiet"),
            "podgroups.scheduling.k8s.io \"x\" is forbidden: the string value of PreemptionPolicy "
            "(PreemptLowerPriority) must not be provided in pod group spec; priority admission controller computed "
            "Never from the given PriorityClass name");
  cluster.Create(groups, group(", priorityClassName: high"));
  EXPECT_EQ(cluster.Tree("scheduling.k8s.io", "podgroups", "x")["spec"]["priority"].IntOr(0), 1000);
  cluster.Create("scheduling.k8s.io", "compositepodgroups",
                 group(", workloadRef: {workloadName: w, templateName: t}, priorityClassName: high"));
  EXPECT_EQ(cluster.Tree("scheduling.k8s.io", "compositepodgroups", "x")["spec"]["priority"].IntOr(0), 1000);
}

TEST(Admission, PodsGetTheDefaultAccountWhereNamespacesHaveOne) {
  TestCluster bare(false);
  bare.Create("", "pods", Pod("plain"));
  EXPECT_FALSE(bare.Tree("", "pods", "plain")["spec"].Has("serviceAccountName"));

  TestCluster cluster;
  cluster.Create("", "serviceaccounts", "metadata: {name: robot}");
  cluster.Create("", "pods", Pod("plain"));
  cluster.Create("", "pods", Pod("own", ", serviceAccountName: robot"));
  cluster.Create("", "pods",
                 "metadata: {name: mirror, annotations: {kubernetes.io/config.mirror: x}}\n"
                 "spec: {containers: [{name: a, image: a}], nodeName: node-1}");
  const Json plain = cluster.Tree("", "pods", "plain")["spec"];
  EXPECT_EQ(plain["serviceAccountName"].text(), "default");
  EXPECT_EQ(plain["serviceAccount"].text(), "default");
  EXPECT_EQ(cluster.Tree("", "pods", "own")["spec"]["serviceAccountName"].text(), "robot");
  EXPECT_FALSE(cluster.Tree("", "pods", "mirror")["spec"].Has("serviceAccountName"));
}

TEST(Admission, PodsMountTheTokenOfTheirAccount) {
  TestCluster cluster;
  cluster.Create("", "pods", Pod("plain"));
  cluster.Create("", "pods", Pod("none", ", automountServiceAccountToken: false"));
  const Json spec = cluster.Tree("", "pods", "plain")["spec"];
  const std::string& volume = spec["volumes"][size_t{0}]["name"].text();
  EXPECT_TRUE(volume.starts_with("kube-api-access-")) << volume;
  EXPECT_EQ(spec["containers"][size_t{0}]["volumeMounts"][size_t{0}]["name"].text(), volume);
  EXPECT_FALSE(cluster.Tree("", "pods", "none")["spec"].Has("volumes"));
  EXPECT_EQ(
      cluster.TryCreate(cluster.Get("", "pods"), Pod("x", ", serviceAccountName: ghost")).error().message,
      "pods \"x\" is forbidden: error looking up service account default/ghost: serviceaccount \"ghost\" not found");
}

TEST(Admission, InAPartOfAClusterAccountsAndRuntimeClassesMayBeElsewhere) {
  TestCluster cluster(true, {}, {.is_whole = false});
  cluster.Create("", "pods", Pod("a", ", serviceAccountName: ghost, runtimeClassName: ghost, overhead: {cpu: 1}"));
  const Json spec = cluster.Tree("", "pods", "a")["spec"];
  EXPECT_EQ(spec["overhead"]["cpu"].text(), "1");
  EXPECT_FALSE(spec.Has("volumes"));
}

TEST(Admission, QuotasAndRangesOfLimitsAreBounded) {
  TestCluster cluster(false);
  const Resource& quotas = cluster.Get("", "resourcequotas");
  const auto quota = [](int i, std::string_view hard) {
    return "metadata: {name: q" + std::to_string(i) + "}\nspec: {hard: {" + std::string(hard) + "}}";
  };
  for (int i = 0; i < 100; ++i) cluster.Create(quotas, quota(i, "pods: '1'"));
  EXPECT_EQ(cluster.TryCreate(quotas, quota(100, "pods: '1'")).error().message,
            "resourcequotas \"q100\" is forbidden: there are 100 resourcequotas in the namespace already");
  std::string many;
  for (int i = 0; i < 251; ++i) many += "count/k" + std::to_string(i) + ".x: '1',";
  cluster.Delete("", "resourcequotas", "q0");
  EXPECT_EQ(cluster.TryCreate(quotas, quota(0, many)).error().message,
            "resourcequotas \"q0\" is forbidden: it limits more than 250 resources");
  std::string amounts;
  for (int i = 0; i < 251; ++i) amounts += "x.com/k" + std::to_string(i) + ": 1,";
  EXPECT_EQ(cluster
                .TryCreate(cluster.Get("", "limitranges"),
                           "metadata: {name: l}\nspec: {limits: [{type: Pod, max: {" + amounts + "}}]}")
                .error()
                .message,
            "limitranges \"l\" is forbidden: it limits more than 250 resources");
}

TEST(Admission, ThereIsOneDefaultPriorityAndSystemClassesStay) {
  TestCluster cluster(false);
  const Resource& classes = cluster.Get("scheduling.k8s.io", "priorityclasses");
  cluster.Create(classes, "metadata: {name: one}\nvalue: 1\nglobalDefault: true");
  EXPECT_EQ(cluster.TryCreate(classes, "metadata: {name: two}\nvalue: 2\nglobalDefault: true").error().code, 403);
  EXPECT_EQ(cluster.objects.Delete(classes, "", "system-node-critical", {}).error().code, 403);
}

TEST(Admission, PodsTolerateFailingNodesForFiveMinutes) {
  TestCluster cluster(false);
  cluster.Create("", "pods", Pod("plain"));
  cluster.Create("", "pods", Pod("all", ", tolerations: [{operator: Exists}]"));
  const Json tolerations = cluster.Tree("", "pods", "plain")["spec"]["tolerations"];
  ASSERT_EQ(tolerations.size(), 2U);
  EXPECT_EQ(tolerations[size_t{0}]["tolerationSeconds"].IntOr(0), 300);
  EXPECT_EQ(cluster.Tree("", "pods", "all")["spec"]["tolerations"].size(), 1U);
}

TEST(Admission, PodsCarryTheZoneOfTheirNode) {
  TestCluster cluster(false);
  cluster.Create("", "nodes", "metadata: {name: node-1, labels: {topology.kubernetes.io/zone: west}}");
  cluster.Create("", "pods", Pod("direct", ", nodeName: node-1"));
  cluster.Create("", "pods", Pod("bound"));
  cluster.Bind("bound", "node-1");
  for (const char* pod : {"direct", "bound"}) {
    EXPECT_EQ(cluster.Find("", "pods", pod)->labels().Get("topology.kubernetes.io/zone"), "west");
  }
}

TEST(Admission, ClaimsGetTheDefaultClassAndProtection) {
  TestCluster cluster(false);
  const std::string claim = "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\nmetadata: ";
  cluster.Create("", "persistentvolumeclaims", claim + "{name: early}");
  cluster.Create("storage.k8s.io", "storageclasses",
                 "metadata: {name: std, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}\n"
                 "provisioner: x/y");
  cluster.Create("", "persistentvolumeclaims", claim + "{name: late}");
  EXPECT_FALSE(cluster.Tree("", "persistentvolumeclaims", "early")["spec"].Has("storageClassName"));
  const Json late = cluster.Tree("", "persistentvolumeclaims", "late");
  EXPECT_EQ(late["spec"]["storageClassName"].text(), "std");
  EXPECT_EQ(late["metadata"]["finalizers"][size_t{0}].text(), "kubernetes.io/pvc-protection");
}

TEST(Admission, AdminAccessToDevicesNeedsAMarkedNamespace) {
  TestCluster cluster(false);
  const Resource& claims = cluster.Get("resource.k8s.io", "resourceclaims");
  const Resource& templates = cluster.Get("resource.k8s.io", "resourceclaimtemplates");
  constexpr std::string_view kRequests =
      "{devices: {requests: [{name: r, exactly: {deviceClassName: c, adminAccess: true}}]}}";
  const std::string claim = "metadata: {name: a}\nspec: " + std::string(kRequests);
  const std::string claim_template = "metadata: {name: a}\nspec: {spec: " + std::string(kRequests) + "}";
  for (const auto& refused : {cluster.TryCreate(claims, claim), cluster.TryCreate(templates, claim_template)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, 422);
    EXPECT_TRUE(refused.error().message.ends_with(
        " \"a\" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the "
        "`resource.kubernetes.io/admin-access: true` label on the containing namespace"));
  }
  cluster.Change("", "namespaces", "default",
                 [](Json& ns) { ns.Make({"metadata", "labels"}).Set("resource.kubernetes.io/admin-access", "true"); });
  EXPECT_TRUE(cluster.TryCreate(claims, claim));
  EXPECT_TRUE(cluster.TryCreate(templates, claim_template));
}

TEST(ServiceAddresses, EveryServiceHasItsOwn) {
  TestCluster cluster(false);
  std::set<std::string> given;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "s" + std::to_string(i);
    cluster.Create("", "services", Service(name));
    const Json spec = cluster.Tree("", "services", name)["spec"];
    EXPECT_TRUE(given.insert(spec["clusterIP"].text()).second);
    EXPECT_EQ(spec["clusterIPs"][size_t{0}], spec["clusterIP"]);
    EXPECT_TRUE(spec["clusterIP"].text().starts_with("10."));
  }
}

TEST(ServiceAddresses, SomeNeedNone) {
  TestCluster cluster(false);
  cluster.Create("", "services", Service("headless", ", clusterIP: None"));
  cluster.Create("", "services", "metadata: {name: outside}\nspec: {type: ExternalName, externalName: example.com}");
  EXPECT_EQ(cluster.Tree("", "services", "headless")["spec"]["clusterIP"].text(), "None");
  EXPECT_FALSE(cluster.Tree("", "services", "outside")["spec"].Has("clusterIP"));
}

TEST(ServiceAddresses, WhatIsTakenOrOutsideIsRefused) {
  TestCluster cluster(false);
  const Resource& services = cluster.Get("", "services");
  cluster.Create(services, Service("first", ", clusterIP: 10.96.0.77"));
  for (const char* address : {"10.96.0.77", "10.96.0.1", "192.168.0.1"}) {
    const auto created = cluster.TryCreate(services, Service("x", std::string(", clusterIP: ") + address));
    ASSERT_FALSE(created) << address;
    EXPECT_EQ(created.error().code, 422);
  }
  cluster.Create(services, "metadata: {name: np}\nspec: {type: NodePort, ports: [{port: 80, nodePort: 30100}]}");
  for (const char* port : {"30100", "80"}) {
    const auto created = cluster.TryCreate(
        services,
        "metadata: {name: other}\nspec: {type: NodePort, ports: [{port: 80, nodePort: " + std::string(port) + "}]}");
    ASSERT_FALSE(created) << port;
    EXPECT_EQ(created.error().code, 422);
  }
}

TEST(ServiceAddresses, NodePortsComeWithTheType) {
  TestCluster cluster(false);
  cluster.Create("", "services", Service("web"));
  const Json before = cluster.Tree("", "services", "web")["spec"];
  EXPECT_FALSE(before["ports"][size_t{0}].Has("nodePort"));
  cluster.Change("", "services", "web", [](Json& service) { service.Make("spec").Set("type", "NodePort"); });
  const Json after = cluster.Tree("", "services", "web")["spec"];
  EXPECT_EQ(after["clusterIP"], before["clusterIP"]);
  const int64_t port = after["ports"][size_t{0}]["nodePort"].IntOr(0);
  EXPECT_GE(port, 30000);
  EXPECT_LE(port, 32767);
  // Whoever writes it back without what was given keeps it.
  cluster.Change("", "services", "web", [](Json& service) {
    service.Make("spec").Erase("clusterIP");
    service.Make("spec").Erase("clusterIPs");
    service.Make({"spec", "ports"}).mutable_items()[0].Erase("nodePort");
  });
  EXPECT_EQ(cluster.Tree("", "services", "web")["spec"], after);
}

}  // namespace
}  // namespace berth::server
