package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// resizeGate lets pods with a deferred resize through the scheduler.
const resizeGate = "InPlacePodVerticalScalingSchedulerPreemption"

// growPod makes a running pod ask for more than it was given; its kubelet has put that off.
func (g *Gen) growPod(p *v1.Pod) {
	p.Status.ContainerStatuses = nil
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		given := c.Resources.Requests.DeepCopy()
		if given == nil {
			given = v1.ResourceList{}
		}
		wanted := given.DeepCopy()
		wanted[v1.ResourceCPU] = q(pick(g, "600m", "1200m", "2", "3", "5"))
		if g.p(0.5) {
			wanted[v1.ResourceMemory] = q(pick(g, "300Mi", "1Gi", "3Gi", "6Gi"))
		}
		c.Resources.Requests = wanted
		if g.p(0.85) {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, v1.ContainerStatus{Name: c.Name,
				AllocatedResources: given, Resources: &v1.ResourceRequirements{Requests: given.DeepCopy()}})
		}
	}
	p.Status.Conditions = nil
	if g.p(0.3) {
		p.Status.Conditions = append(p.Status.Conditions, v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionTrue})
	}
	p.Status.Conditions = append(p.Status.Conditions, v1.PodCondition{Type: v1.PodResizePending, Status: v1.ConditionTrue,
		Reason: pick(g, v1.PodReasonDeferred, v1.PodReasonDeferred, v1.PodReasonDeferred, v1.PodReasonInfeasible)})
}

// resizePolicy says on a node who objects to evictions for a resize.
func (g *Gen) resizePolicy(n *v1.Node) {
	switch g.n(0, 3) {
	case 0:
		n.Spec.PodPreemptionPolicy = nil
	case 1:
		n.Spec.PodPreemptionPolicy = &v1.NodePodPreemptionPolicy{}
	default:
		n.Spec.PodPreemptionPolicy = &v1.NodePodPreemptionPolicy{DisableResizePreemption: []string{"example.com/operator"}}
	}
}

func (g *Gen) famResize() {
	g.gates[resizeGate] = true
	if g.p(0.1) {
		g.gates["SchedulerAsyncPreemption"] = false
	}
	g.cluster(2, g.h(6, 14))
	g.extendedOnNodes(0.3)
	g.taintNodes(0.2)
	for _, n := range g.nodes {
		if g.p(0.3) {
			g.resizePolicy(n)
		}
		if g.p(0.2) {
			n.Spec.Unschedulable = true
		}
		if g.p(0.3) { // as many pods as the node takes
			v := q(fmt.Sprint(g.n(2, 5)))
			n.Status.Allocatable[v1.ResourcePods], n.Status.Capacity[v1.ResourcePods] = v, v
		}
	}
	g.s.Options.GracefulPreemption = g.p(0.4)
	var growing []*v1.Pod
	for _, n := range g.nodes {
		left, mem, slots := n.Status.Allocatable.Cpu().MilliValue(), n.Status.Allocatable.Memory().Value(), n.Status.Allocatable.Pods().Value()
		for slots > 0 {
			p := g.pod()
			g.simpleRequests(p, g.p(0.6))
			g.priority(p, -100, 0, 0, 5, 10, 50)
			if gpus := n.Status.Allocatable["example.com/gpu"]; gpus.Value() > 0 && g.p(0.3) {
				p.Spec.Containers[0].Resources.Requests["example.com/gpu"] = q("1")
				p.Spec.Containers[0].Resources.Limits = v1.ResourceList{"example.com/gpu": q("1")}
			}
			c := p.Spec.Containers[0].Resources.Requests
			left -= c.Cpu().MilliValue()
			mem -= c.Memory().Value()
			slots--
			if left < 0 || mem < 0 {
				break
			}
			if g.p(0.1) {
				g.hostPorts(p)
			}
			if g.p(0.1) {
				g.interPod(p)
			}
			if g.p(0.1) {
				p.Spec.NodeSelector = map[string]string{"disk": pick(g, "ssd", "hdd")}
			}
			g.running(p, n.Name)
			if g.p(0.3) {
				g.growPod(p)
				growing = append(growing, p)
			}
			if g.p(0.12) {
				break
			}
		}
	}
	g.budgets(g.n(0, 3))
	if g.p(0.15) {
		p := g.pod()
		g.simpleRequests(p, true)
		g.running(p, "node-gone")
		g.growPod(p)
		growing = append(growing, p)
	}
	g.freeze()
	for i := g.steps(); i > 0; i-- {
		switch {
		case g.p(0.1):
			g.deletePod(pick(g, g.pods...))
		case g.p(0.15):
			n := pick(g, g.nodes...)
			g.resizePolicy(n)
			g.apply(n.DeepCopy())
		case len(growing) > 0 && g.p(0.15):
			p := pick(g, growing...).DeepCopy()
			g.growPod(p)
			g.apply(p)
		}
		if len(growing) > 0 && g.p(0.75) {
			g.retry(pick(g, growing...))
			continue
		}
		p := g.pod()
		g.simpleRequests(p, g.p(0.7))
		g.priority(p, 0, 10, 100)
		g.schedule(p)
	}
}
