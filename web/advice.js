// SPDX-License-Identifier: Apache-2.0
// What can be done about a reason, by the plugin that gave it.

const kAdvice = {
  NodeResourcesFit: (reason) => {
    const what = /^Insufficient (.+)$/.exec(reason)?.[1];
    if (reason === 'Too many pods') return 'Add nodes, or remove pods: the nodes have as many as they take.';
    return what && `Request less ${what}, free some by removing or moving pods, or add nodes that have it.`;
  },
  TaintToleration: () => 'Give the pod a toleration for the taint, or take the taint off the nodes.',
  NodeUnschedulable: () => 'Uncordon the nodes: kubectl uncordon NODE.',
  NodeAffinity: () => 'Change the node selector or affinity of the pod, or label nodes to match.',
  NodeName: () => 'The pod names a node that does not exist or is another: change spec.nodeName.',
  NodePorts: () => 'Another pod has the host port: use another port, or add nodes.',
  InterPodAffinity: () => 'Relax the affinity or anti-affinity between pods, or add nodes in other domains.',
  PodTopologySpread: () => 'Raise maxSkew, allow ScheduleAnyway, or add nodes in the domains that have the fewest pods.',
  VolumeBinding: () => 'Make a volume that fits the claim, on a node that the pod can use, or change its class.',
  VolumeZone: () => 'The volume is in another zone: make room in its zone, or move the volume.',
  VolumeRestrictions: () => 'Another pod uses the volume, which allows one at a time.',
  NodeVolumeLimits: () => 'The nodes have as many volumes as they take: add nodes.',
  DynamicResources: () => 'Free devices, ask for others in the claim, or add nodes that have them.',
  SchedulingGates: () => 'Remove the gates from spec.schedulingGates when the pod may be scheduled.',
  GangScheduling: () => 'All pods of the group must fit at once: make room, or lower its minimum.',
};

/** A sentence, or nothing. */
export function adviceFor(plugin, reason) {
  return kAdvice[plugin]?.(reason);
}
