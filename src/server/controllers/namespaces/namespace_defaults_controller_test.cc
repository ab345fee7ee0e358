// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespaces/namespace_defaults_controller.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

bool HasDefaults(const TestCluster& cluster, std::string_view ns) {
  return cluster.Find("", "serviceaccounts", "default", ns) != nullptr &&
         cluster.Tree("", "configmaps", "kube-root-ca.crt", ns)["data"].Has("ca.crt");
}

TEST(NamespaceDefaults, AreThereFromTheStartAndInNewNamespaces) {
  TestCluster cluster;
  cluster.Create("", "namespaces", "metadata: {name: mine}");
  cluster.Run(Milliseconds(20));
  for (const char* ns : {"default", "kube-system", "kube-public", "kube-node-lease", "mine"}) {
    EXPECT_TRUE(HasDefaults(cluster, ns)) << ns;
  }
}

TEST(NamespaceDefaults, ComeBackWhenTheyAreDeletedOrChanged) {
  TestCluster cluster;
  cluster.Run(Milliseconds(20));
  const std::string uid = cluster.Find("", "serviceaccounts", "default")->uid();
  cluster.Delete("", "serviceaccounts", "default");
  cluster.Delete("", "configmaps", "kube-root-ca.crt");
  cluster.Change(
      "", "configmaps", "kube-root-ca.crt", [](Json& config) { config.Make("data").Set("ca.crt", "mine"); }, "",
      "kube-system");
  cluster.Run(Milliseconds(20));
  EXPECT_TRUE(HasDefaults(cluster, "default"));
  EXPECT_NE(cluster.Find("", "serviceaccounts", "default")->uid(), uid);
  EXPECT_EQ(cluster.Tree("", "configmaps", "kube-root-ca.crt", "kube-system")["data"]["ca.crt"].text(), "");
}

TEST(NamespaceDefaults, CarryTheCertificatesOfTheServer) {
  TestCluster cluster(false);
  CreateNamespaceDefaults(cluster.objects, "old");
  CreateNamespaceDefaults(cluster.objects, "new");
  EXPECT_EQ(cluster.Tree("", "configmaps", "kube-root-ca.crt")["data"]["ca.crt"].text(), "new");
}

TEST(NamespaceDefaults, DoNotHoldANamespaceThatIsDeleted) {
  TestCluster cluster;
  cluster.Create("", "namespaces", "metadata: {name: mine}");
  cluster.Run(Milliseconds(20));
  cluster.Delete("", "namespaces", "mine");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "namespaces", "mine"), nullptr);
  EXPECT_EQ(cluster.Find("", "serviceaccounts", "default", "mine"), nullptr);
}

TEST(NamespaceDefaults, WhatIsThereIsNotWrittenAgain) {
  TestCluster cluster;
  cluster.Create("", "serviceaccounts", "metadata: {name: default, labels: {mine: '1'}}");
  cluster.Run(Milliseconds(20));
  const Revision before = cluster.store.revision();
  CreateNamespaceDefaults(cluster.objects, "");
  EXPECT_EQ(cluster.store.revision(), before);
  EXPECT_EQ(cluster.Find("", "serviceaccounts", "default")->labels().Get("mine"), "1");
}

TEST(Bootstrap, TheStorageClassIsMadeUnlessThereIsAny) {
  TestCluster cluster;
  CreateStorageClass(cluster.objects);
  const Json standard = cluster.Tree("storage.k8s.io", "storageclasses", "standard");
  EXPECT_EQ(standard["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"].text(), "true");
  EXPECT_EQ(standard["volumeBindingMode"].text(), "WaitForFirstConsumer");

  TestCluster other;
  other.Create("storage.k8s.io", "storageclasses", "metadata: {name: own}\nprovisioner: example.com/disk");
  CreateStorageClass(other.objects);
  EXPECT_EQ(other.Find("storage.k8s.io", "storageclasses", "standard"), nullptr);
}

}  // namespace
}  // namespace berth::server
