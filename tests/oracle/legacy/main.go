// SPDX-License-Identifier: Apache-2.0

// Command legacy runs the plugins that only a legacy Policy could enable, as v1.22 has them, on random clusters and
// prints each cluster with the answers, one case a line:
//
//	go run . -seed 1 -n 1000 2>/dev/null >cases.jsonl
//
// "expect" has for each plugin and point (NodeLabel.filter, NodeLabel.score, ...) the answer by node: "code: message" of
// the nodes that were turned down, or the score. ServiceAffinity.trial is what Filter says of "trialNode" when its pods
// are taken away and put back one by one, as preemption does it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/component-helpers/node/topology"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodelabel"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodepreferavoidpods"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/selectorspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/serviceaffinity"
)

type Case struct {
	Nodes           []*v1.Node                           `json:"nodes"`
	Pods            []*v1.Pod                            `json:"pods"`
	Services        []*v1.Service                        `json:"services"`
	RCs             []*v1.ReplicationController          `json:"rcs"`
	RSs             []*appsv1.ReplicaSet                 `json:"rss"`
	SSs             []*appsv1.StatefulSet                `json:"sss"`
	Claims          []*v1.PersistentVolumeClaim          `json:"claims"`
	Volumes         []*v1.PersistentVolume               `json:"volumes"`
	Classes         []*storagev1.StorageClass            `json:"classes"`
	CSINodes        []*storagev1.CSINode                 `json:"csiNodes"`
	Pod             *v1.Pod                              `json:"pod"`
	NodeLabel       *config.NodeLabelArgs                `json:"nodeLabel"`
	ServiceAffinity *config.ServiceAffinityArgs          `json:"serviceAffinity"`
	Ratio           *config.RequestedToCapacityRatioArgs `json:"ratio"`
	Resources       []config.ResourceSpec                `json:"resources"`
	TrialNode       string                               `json:"trialNode"`
	Expect          map[string]map[string]string         `json:"expect"`
}

type lister struct{ list []*framework.NodeInfo }

func (l *lister) NodeInfos() framework.NodeInfoLister                      { return l }
func (l *lister) List() ([]*framework.NodeInfo, error)                     { return l.list, nil }
func (l *lister) HavePodsWithAffinityList() ([]*framework.NodeInfo, error) { return nil, nil }
func (l *lister) HavePodsWithRequiredAntiAffinityList() ([]*framework.NodeInfo, error) {
	return nil, nil
}
func (l *lister) Get(name string) (*framework.NodeInfo, error) {
	for _, n := range l.list {
		if n.Node().Name == name {
			return n, nil
		}
	}
	return nil, fmt.Errorf("nodeinfo not found for node name %q", name)
}

type handle struct {
	framework.Handle
	lister    *lister
	informers informers.SharedInformerFactory
}

func (h *handle) SnapshotSharedLister() framework.SharedLister           { return h.lister }
func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.informers }

// Nodes round robin over zones, as the scheduler's cache lists them.
func inOrder(nodes []*v1.Node) []*v1.Node {
	var keys []string
	zones := map[string][]*v1.Node{}
	for _, n := range nodes {
		k := topology.GetZoneKey(n)
		if _, ok := zones[k]; !ok {
			keys = append(keys, k)
		}
		zones[k] = append(zones[k], n)
	}
	var out []*v1.Node
	for round := 0; len(out) < len(nodes); round++ {
		for _, k := range keys {
			if round < len(zones[k]) {
				out = append(out, zones[k][round])
			}
		}
	}
	return out
}

func (c *Case) run() {
	ctx := context.Background()
	c.Expect = map[string]map[string]string{}
	f := informers.NewSharedInformerFactory(nil, 0)
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	for _, o := range c.Services {
		must(f.Core().V1().Services().Informer().GetIndexer().Add(o))
	}
	for _, o := range c.RCs {
		must(f.Core().V1().ReplicationControllers().Informer().GetIndexer().Add(o))
	}
	for _, o := range c.RSs {
		must(f.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(o))
	}
	for _, o := range c.SSs {
		must(f.Apps().V1().StatefulSets().Informer().GetIndexer().Add(o))
	}
	for _, o := range c.Claims {
		must(f.Core().V1().PersistentVolumeClaims().Informer().GetIndexer().Add(o))
	}
	for _, o := range c.Volumes {
		must(f.Core().V1().PersistentVolumes().Informer().GetIndexer().Add(o))
	}
	for _, o := range c.Classes {
		must(f.Storage().V1().StorageClasses().Informer().GetIndexer().Add(o))
	}
	for _, o := range c.CSINodes {
		must(f.Storage().V1().CSINodes().Informer().GetIndexer().Add(o))
	}
	l := &lister{}
	for _, n := range inOrder(c.Nodes) {
		info := framework.NewNodeInfo()
		info.SetNode(n)
		for _, p := range c.Pods {
			if p.Spec.NodeName == n.Name {
				info.AddPod(p)
			}
		}
		l.list = append(l.list, info)
	}
	h := &handle{lister: l, informers: f}
	record := func(name string, plugin framework.Plugin, err error) {
		if err != nil {
			c.Expect[name] = map[string]string{"error": err.Error()}
			return
		}
		state := framework.NewCycleState()
		if p, ok := plugin.(framework.PreFilterPlugin); ok {
			if s := p.PreFilter(ctx, state, c.Pod); !s.IsSuccess() {
				panic(s.AsError())
			}
		}
		if p, ok := plugin.(framework.FilterPlugin); ok {
			filter := func(state *framework.CycleState) map[string]string {
				out := map[string]string{}
				for _, info := range l.list {
					if s := p.Filter(ctx, state, c.Pod, info); !s.IsSuccess() {
						out[info.Node().Name] = fmt.Sprintf("%v: %s", s.Code(), s.Message())
					}
				}
				return out
			}
			c.Expect[name+".filter"] = filter(state)
			pre, _ := plugin.(framework.PreFilterPlugin)
			if pre != nil && pre.PreFilterExtensions() != nil {
				info, _ := l.Get(c.TrialNode)
				trial, clone := info.Clone(), state.Clone()
				verdict := func() string {
					s := p.Filter(ctx, clone, c.Pod, trial)
					return fmt.Sprintf("%v: %s", s.Code(), s.Message())
				}
				out := map[string]string{}
				pods := append([]*framework.PodInfo(nil), trial.Pods...)
				for _, pod := range pods {
					must(trial.RemovePod(pod.Pod))
					pre.PreFilterExtensions().RemovePod(ctx, clone, c.Pod, pod, trial)
				}
				out["emptied"] = verdict()
				if out["emptied"] != "Success: " {
					pods = nil // Preemption gives up here.
				}
				for i, pod := range pods {
					trial.AddPodInfo(pod)
					pre.PreFilterExtensions().AddPod(ctx, clone, c.Pod, pod, trial)
					out[fmt.Sprintf("added%d", i)] = verdict()
				}
				c.Expect[name+".trial"] = out
			}
		}
		if p, ok := plugin.(framework.PreScorePlugin); ok {
			var nodes []*v1.Node
			for _, info := range l.list {
				nodes = append(nodes, info.Node())
			}
			if s := p.PreScore(ctx, state, c.Pod, nodes); !s.IsSuccess() {
				panic(s.AsError())
			}
		}
		if p, ok := plugin.(framework.ScorePlugin); ok {
			var scores framework.NodeScoreList
			for _, info := range l.list {
				score, s := p.Score(ctx, state, c.Pod, info.Node().Name)
				if !s.IsSuccess() {
					panic(s.AsError())
				}
				scores = append(scores, framework.NodeScore{Name: info.Node().Name, Score: score})
			}
			if p.ScoreExtensions() != nil {
				if s := p.ScoreExtensions().NormalizeScore(ctx, state, c.Pod, scores); !s.IsSuccess() {
					panic(s.AsError())
				}
			}
			out := map[string]string{}
			for _, s := range scores {
				out[s.Name] = fmt.Sprint(s.Score)
			}
			c.Expect[name+".score"] = out
		}
	}
	type factory func(runtime.Object, framework.Handle) (framework.Plugin, error)
	withFeatures := func(make func(runtime.Object, framework.Handle, feature.Features) (framework.Plugin, error)) factory {
		return func(o runtime.Object, h framework.Handle) (framework.Plugin, error) {
			return make(o, h, feature.Features{EnablePodOverhead: true})
		}
	}
	for _, entry := range []struct {
		name string
		make factory
		args runtime.Object
	}{
		{"NodeLabel", nodelabel.New, c.NodeLabel},
		{"ServiceAffinity", serviceaffinity.New, c.ServiceAffinity},
		{"SelectorSpread", selectorspread.New, nil},
		{"NodePreferAvoidPods", nodepreferavoidpods.New, nil},
		{"EBSLimits", nodevolumelimits.NewEBS, nil},
		{"GCEPDLimits", nodevolumelimits.NewGCEPD, nil},
		{"AzureDiskLimits", nodevolumelimits.NewAzureDisk, nil},
		{"CinderLimits", nodevolumelimits.NewCinder, nil},
		{"NodeResourcesLeastAllocated", withFeatures(noderesources.NewLeastAllocated), &config.NodeResourcesLeastAllocatedArgs{Resources: c.Resources}},
		{"NodeResourcesMostAllocated", withFeatures(noderesources.NewMostAllocated), &config.NodeResourcesMostAllocatedArgs{Resources: c.Resources}},
		{"RequestedToCapacityRatio", withFeatures(noderesources.NewRequestedToCapacityRatio), c.Ratio},
	} {
		plugin, err := entry.make(entry.args, h)
		record(entry.name, plugin, err)
	}
}

// Whether upstream takes now this, now that service of the pod, because it ranges over Go maps.
func (c *Case) hasSeveralServices() bool {
	count := 0
	for _, s := range c.Services {
		if s.Namespace == c.Pod.Namespace && s.Spec.Selector != nil && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(c.Pod.Labels)) {
			count++
		}
	}
	return count > 1
}

func main() {
	seed := flag.Int64("seed", 1, "first seed")
	n := flag.Int("n", 100, "cases")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	for i := int64(0); i < int64(*n); i++ {
		// What does not survive JSON, such as an empty selector, does not exist in a cluster either.
		text, err := json.Marshal(gen{rand.New(rand.NewSource(*seed + i))}.newCase())
		c := &Case{}
		if err == nil {
			err = json.Unmarshal(text, c)
		}
		if err != nil {
			panic(err)
		}
		c.run()
		if c.hasSeveralServices() {
			delete(c.Expect, "ServiceAffinity.score")
		}
		if err := out.Encode(c); err != nil {
			panic(err)
		}
	}
}
