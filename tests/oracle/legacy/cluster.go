// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// Random objects. Few names and values, so that they often meet.
type gen struct{ *rand.Rand }

func (g gen) pick(words ...string) string { return words[g.Intn(len(words))] }
func (g gen) odds(n int) bool             { return g.Intn(n) == 0 }
func (g gen) labels(n int) map[string]string {
	m := map[string]string{}
	for i := 0; i < n; i++ {
		m[g.pick("app", "tier", "x")] = g.pick("a", "b")
	}
	return m
}
func (g gen) some(max int, words ...string) []string {
	var out []string
	for i := g.Intn(max + 1); i > 0; i-- {
		out = append(out, g.pick(words...))
	}
	return out
}

func (g gen) node(i int) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i), Labels: map[string]string{"kubernetes.io/hostname": fmt.Sprintf("n%d", i)}, Annotations: map[string]string{}}}
	for _, k := range []string{"rack", "row"} {
		if !g.odds(4) {
			n.Labels[k] = g.pick("1", "2")
		}
	}
	if g.odds(2) {
		n.Labels["topology.kubernetes.io/zone"] = g.pick("z1", "z2", "z3")
	}
	if g.odds(5) {
		n.Labels["topology.kubernetes.io/region"] = g.pick("r1", "r2")
	}
	if g.odds(8) {
		n.Labels["failure-domain.beta.kubernetes.io/zone"] = g.pick("z1", "z2", "")
	}
	if g.odds(3) {
		n.Labels["node.kubernetes.io/instance-type"] = g.pick("m5.large", "c4", "xt3", "z1d", "5", "")
	}
	n.Status.Allocatable = v1.ResourceList{"pods": resource.MustParse("110")}
	set := func(name string, odds int, values ...string) {
		if g.odds(odds) {
			n.Status.Allocatable[v1.ResourceName(name)] = resource.MustParse(g.pick(values...))
		}
	}
	set("cpu", 1, "1", "2", "3700m", "64", "0")
	set("memory", 1, "1Gi", "4Gi", "3999Mi", "0")
	set("ephemeral-storage", 2, "10Gi", "3Gi")
	set("example.com/gpu", 2, "0", "1", "3", "8")
	for _, k := range []string{"aws-ebs", "gce-pd", "azure-disk", "cinder"} {
		set("attachable-volumes-"+k, 2, "0", "1", "2", "3")
	}
	if g.odds(3) {
		n.Annotations["scheduler.alpha.kubernetes.io/preferAvoidPods"] = g.pick(
			`{"preferAvoidPods":[{"podSignature":{"podController":{"apiVersion":"v1","kind":"ReplicationController","name":"o","uid":"u1","controller":true}},"reason":"x","message":"y"}]}`,
			`{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u1"}}},{"podSignature":{"podController":{"kind":"ReplicationController","uid":"u2"}}}]}`,
			`{"PREFERavoidpods":[{"PodSignature":{"podController":{"KIND":"ReplicaSet","uid":"u2"}}}]}`,
			`{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u1"}},"evictionTime":"2020-01-01T00:00:00Z"}]}`,
			`{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u1"}},"evictionTime":"then"}]}`,
			`{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u1"}}},{"reason":5}]}`,
			`{"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u1"}}}]`,
			`null`, `[]`, ``, `{"preferAvoidPods":null}`)
	}
	return n
}

func (g gen) pod(name, node string) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: g.pick("default", "default", "default", "other"), UID: types.UID("uid-" + name), Labels: g.labels(g.Intn(4))}}
	p.Spec.NodeName = node
	if g.odds(8) && node != "" {
		now := metav1.Unix(1, 0)
		p.DeletionTimestamp = &now
	}
	for i := 1 + g.Intn(2); i > 0; i-- {
		p.Spec.Containers = append(p.Spec.Containers, g.container())
	}
	for i := g.Intn(5) - 3; i > 0; i-- {
		p.Spec.InitContainers = append(p.Spec.InitContainers, g.container())
	}
	for i := g.Intn(6) - 2; i > 0; i-- {
		p.Spec.Volumes = append(p.Spec.Volumes, g.volume(i))
	}
	return p
}

func (g gen) container() v1.Container {
	r := v1.ResourceList{}
	set := func(name string, odds int, values ...string) {
		if g.odds(odds) {
			r[v1.ResourceName(name)] = resource.MustParse(g.pick(values...))
		}
	}
	set("cpu", 2, "0", "100m", "333m", "1500m")
	set("memory", 2, "0", "64Mi", "1000M", "1500Mi")
	set("ephemeral-storage", 4, "1Gi", "100Mi")
	set("example.com/gpu", 4, "0", "1", "2")
	return v1.Container{Name: "c", Resources: v1.ResourceRequirements{Requests: r}}
}

func (g gen) source(kind int) (s v1.VolumeSource) {
	id := g.pick("a", "b", "c", "d", "e")
	switch kind {
	case 0:
		s.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id}
	case 1:
		s.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: id}
	case 2:
		s.AzureDisk = &v1.AzureDiskVolumeSource{DiskName: id, DataDiskURI: "u"}
	case 3:
		s.Cinder = &v1.CinderVolumeSource{VolumeID: id}
	}
	return s
}

func (g gen) volume(i int) v1.Volume {
	v := v1.Volume{Name: fmt.Sprintf("v%d", i)}
	if g.odds(2) {
		v.VolumeSource = g.source(g.Intn(4))
	} else {
		claim := g.pick("c0", "c1", "c2", "c3", "c4", "c5", "missing")
		if g.odds(40) {
			claim = ""
		}
		v.PersistentVolumeClaim = &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}
	}
	return v
}

func (g gen) newCase() *Case {
	c := &Case{}
	for i := 2 + g.Intn(5); i > 0; i-- {
		c.Nodes = append(c.Nodes, g.node(i))
	}
	for i := g.Intn(14); i > 0; i-- {
		c.Pods = append(c.Pods, g.pod(fmt.Sprintf("p%d", i), c.Nodes[g.Intn(len(c.Nodes))].Name))
	}
	c.Pod = g.pod("pending", "")
	c.Pod.Namespace = "default"
	if g.odds(3) {
		c.Pod.Spec.Overhead = v1.ResourceList{"cpu": resource.MustParse(g.pick("250m", "2")), "memory": resource.MustParse("10Mi")}
	}
	if g.odds(3) {
		c.Pod.Spec.NodeSelector = map[string]string{g.pick("rack", "row"): g.pick("1", "2")}
	}
	if g.odds(20) {
		c.Pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "rack", WhenUnsatisfiable: v1.ScheduleAnyway}}
	}
	if g.odds(2) {
		kind := g.pick("ReplicationController", "ReplicaSet", "StatefulSet", "Job")
		version := "apps/v1"
		if kind == "ReplicationController" {
			version = "v1"
		}
		yes := true
		c.Pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: g.pick("o0", "o1"), UID: types.UID(g.pick("u1", "u2")), Controller: &yes}}
	}
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: g.pick("default", "default", "other")}
	}
	selector := func() *metav1.LabelSelector {
		s := &metav1.LabelSelector{MatchLabels: g.labels(g.Intn(3))}
		if g.odds(4) {
			s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOperator(g.pick("Exists", "DoesNotExist", "Perhaps"))}}
		}
		if g.odds(10) {
			return nil
		}
		return s
	}
	for i := g.Intn(4); i > 0; i-- {
		s := &v1.Service{ObjectMeta: meta(fmt.Sprintf("s%d", i))}
		if !g.odds(6) {
			s.Spec.Selector = g.labels(g.Intn(3))
		}
		c.Services = append(c.Services, s)
	}
	for i := 0; i < 2; i++ {
		name := fmt.Sprintf("o%d", i)
		if g.odds(2) {
			c.RCs = append(c.RCs, &v1.ReplicationController{ObjectMeta: meta(name), Spec: v1.ReplicationControllerSpec{Selector: g.labels(g.Intn(3))}})
		}
		if g.odds(2) {
			c.RSs = append(c.RSs, &appsv1.ReplicaSet{ObjectMeta: meta(name), Spec: appsv1.ReplicaSetSpec{Selector: selector()}})
		}
		if g.odds(2) {
			c.SSs = append(c.SSs, &appsv1.StatefulSet{ObjectMeta: meta(name), Spec: appsv1.StatefulSetSpec{Selector: selector()}})
		}
	}
	for i := 0; i < 6; i++ {
		pvc := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i), Namespace: g.pick("default", "other")}}
		pvc.Spec.VolumeName = g.pick("", "v0", "v1", "v2", "v3", "gone")
		if !g.odds(4) {
			class := g.pick("aws-ebs", "gce-pd", "azure-disk", "cinder", "gone")
			pvc.Spec.StorageClassName = &class
		}
		c.Claims = append(c.Claims, pvc)
	}
	for i := 0; i < 4; i++ {
		s := g.source(i)
		pv := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("v%d", i)}}
		pv.Spec.AWSElasticBlockStore, pv.Spec.GCEPersistentDisk, pv.Spec.AzureDisk = s.AWSElasticBlockStore, s.GCEPersistentDisk, s.AzureDisk
		if s.Cinder != nil {
			pv.Spec.Cinder = &v1.CinderPersistentVolumeSource{VolumeID: s.Cinder.VolumeID}
		}
		c.Volumes = append(c.Volumes, pv)
	}
	for _, k := range []string{"aws-ebs", "gce-pd", "azure-disk", "cinder"} {
		c.Classes = append(c.Classes, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: k}, Provisioner: "kubernetes.io/" + k})
	}
	for _, n := range c.Nodes {
		if g.odds(3) {
			c.CSINodes = append(c.CSINodes, &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Annotations: map[string]string{
				"storage.alpha.kubernetes.io/migrated-plugins": g.pick("kubernetes.io/aws-ebs,kubernetes.io/cinder", "kubernetes.io/cinder", "kubernetes.io/cinderx", "")}}})
		}
	}
	c.NodeLabel = &config.NodeLabelArgs{PresentLabels: g.some(2, "rack", "row"), AbsentLabels: g.some(1, "kubernetes.io/hostname", "gone"),
		PresentLabelsPreference: g.some(2, "rack", "row"), AbsentLabelsPreference: g.some(2, "topology.kubernetes.io/zone", "gone")}
	c.ServiceAffinity = &config.ServiceAffinityArgs{AffinityLabels: g.some(2, "rack", "row", "kubernetes.io/hostname"), AntiAffinityLabelsPreference: g.some(3, "rack", "row")}
	c.Ratio = &config.RequestedToCapacityRatioArgs{}
	for u := int32(g.Intn(30)); u <= 100; u += 1 + int32(g.Intn(60)) {
		c.Ratio.Shape = append(c.Ratio.Shape, config.UtilizationShapePoint{Utilization: u, Score: int32(g.Intn(11))})
	}
	for _, r := range g.some(4, "cpu", "memory", "ephemeral-storage", "example.com/gpu", "pods", "foo") {
		c.Resources = append(c.Resources, config.ResourceSpec{Name: r, Weight: int64(1 + g.Intn(5))})
	}
	c.Ratio.Resources = c.Resources
	c.TrialNode = c.Nodes[g.Intn(len(c.Nodes))].Name
	return c
}
