// SPDX-License-Identifier: Apache-2.0
// Nodes: how they are grouped, added up and found.

import {amount, percent, plural} from './format.js';

export const kZone = 'topology.kubernetes.io/zone';
const kHostname = 'kubernetes.io/hostname';
const kUsual = ['cpu', 'memory', 'pods', 'ephemeral-storage'];

/** How much of the resource is requested, from 0; more than 1 if it is more than there is. NaN: the node has none. */
export function useOf(node, resource) {
  const capacity = node.capacity[resource] ?? 0;
  return capacity > 0 ? (node.used[resource] ?? 0) / capacity : NaN;
}

export function stateOf(node) {
  return [!node.ready && 'not ready', node.cordoned && 'cordoned', node.taints.length > 0 && 'tainted'].filter(Boolean);
}

// Labels are shared by nodes that are alike, so the one that none shares is kept apart.
const labelOf = (node, key) => node.labels[key] ?? (key === kHostname && node.hostname ? node.name : undefined);
export const labelsOf = (node) => [...Object.entries(node.labels), ...(node.hostname ? [[kHostname, node.name]] : [])];

export function sum(nodes, resource) {
  const total = {used: 0, capacity: 0};
  for (const node of nodes) {
    total.used += node.used[resource] ?? 0;
    total.capacity += node.capacity[resource] ?? 0;
  }
  return total;
}

// Nodes that are alike share what they have, which is looked at once.
const distinct = (nodes, field) => new Set(nodes.map((node) => node[field]));

/** The resources that nodes have, the usual ones first. */
export function resourcesOf(nodes) {
  const names = new Set();
  for (const capacity of distinct(nodes, 'capacity')) for (const [name, value] of Object.entries(capacity)) if (value > 0) names.add(name);
  return [...kUsual.filter((name) => names.has(name)), ...[...names].filter((name) => !kUsual.includes(name)).sort()];
}

/** Labels that make groups: those that several nodes share. */
export function groupingLabels(nodes) {
  const values = new Map();
  for (const labels of distinct(nodes, 'labels')) {
    for (const [key, value] of Object.entries(labels)) {
      if (!values.has(key)) values.set(key, new Set());
      values.get(key).add(value);
    }
  }
  return [...values].filter(([key, set]) => key === kZone || set.size === 1 || set.size < nodes.length).map(([key]) => key).sort();
}

const byName = new Intl.Collator(undefined, {numeric: true}).compare;

/** [{name, nodes, total, note}], by name. */
export function group(nodes, key, resource) {
  const groups = new Map();
  for (const node of nodes) {
    const name = key ? labelOf(node, key) ?? '(none)' : 'All nodes';
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(node);
  }
  return [...groups].sort(([a], [b]) => byName(a, b)).map(([name, members]) => {
    const total = sum(members, resource);
    const use = total.capacity > 0 ? ` · ${percent(total.used / total.capacity)} of ${amount(resource, total.capacity)}` : '';
    return {name, nodes: members, total, note: plural(members.length, 'node') + use};
  });
}

/** Whether a node has the words in its name, in a label ("key=value"), a taint or its state; null for no words. */
export function finder(words) {
  const all = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (all.length === 0) return null;
  const known = new WeakMap();
  const shared = (node) => {
    if (!known.has(node.labels)) known.set(node.labels, Object.entries(node.labels).map(([key, value]) => `${key}=${value}`).join('\n').toLowerCase());
    return known.get(node.labels);
  };
  return (node) => {
    const own = [node.name, node.hostname && `${kHostname}=${node.name}`, ...node.taints, ...stateOf(node)].join('\n').toLowerCase();
    return all.every((word) => own.includes(word) || shared(node).includes(word));
  };
}
