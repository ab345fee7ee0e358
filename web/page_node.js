// SPDX-License-Identifier: Apache-2.0
// Node: what it is, what is left of it, and what runs there.

import {ask} from './api.js';
import {facts, gauge, h, podLink, renew, table} from './dom.js';
import {amount, count, percent, plural, resourceName} from './format.js';
import * as live from './live.js';
import {stateOf, useOf} from './map.js';

const kPeriodMs = 2000;

function room(node) {
  const names = Object.keys(node.capacity).filter((name) => node.capacity[name] > 0 || node.used[name] > 0);
  return table('What is left', ['Resource', 'Requested#', 'Of#', 'Free#', 'Use'], names.map((name) => [resourceName(name), amount(name, node.used[name] ?? 0), amount(name, node.capacity[name]),
    amount(name, node.capacity[name] - (node.used[name] ?? 0)), h('td.gaugecell', {}, gauge(useOf(node, name), percent(useOf(node, name))))]));
}

function about(node) {
  const states = stateOf(node);
  return facts([
    ['State', h('div.tags', {}, states.length > 0 ? states.map((state) => h('span.tag.warn', {}, state)) : h('span.tag.good', {}, 'ready'))],
    ['Taints', node.taints.length > 0 && h('div.tags', {}, node.taints.map((taint) => h('span.tag', {}, taint)))],
    ['Labels', h('div.tags', {}, Object.entries(node.labels).map(([key, value]) => h('span.tag', {}, `${key}=${value}`)))],
  ]);
}

function pods({pods: all, podCount}) {
  if (all.length === 0) return h('p.empty', {}, 'No pod is here.');
  const others = [...new Set(all.flatMap((pod) => Object.keys(pod.requests)))].filter((name) => name !== 'cpu' && name !== 'memory').sort();
  return table(podCount > all.length ? `The first ${count(all.length)} of ${plural(podCount, 'pod')}` : plural(podCount, 'pod'),
    ['Pod', 'Owner', 'Priority#', 'CPU#', 'Memory#', ...others.map((name) => `${resourceName(name)}#`)],
    all.map((pod) => [podLink(pod.namespace, pod.name), pod.owner ?? '', count(pod.priority), ...['cpu', 'memory', ...others].map((name) => pod.requests[name] ? amount(name, pod.requests[name]) : '–')]));
}

export function show(main, {names: [name]}) {
  const space = h('section.panel', {'aria-label': 'Room'});
  const what = h('section.panel', {'aria-label': 'About the node'});
  const list = h('section.panel', {'aria-label': 'Pods'}, h('p.empty', {}, 'Asking …'));
  main.append(h('div.head', {}, h('h1', {}, name), h('a', {href: `#/what-if?c=${encodeURIComponent(`remove/${name}`)}`}, 'What if it was gone?')), h('div.columns', {}, space, what), list);
  const find = () => [...live.nodes.values()].find((node) => node.name === name);
  let slot;
  let timer = 0;
  let hasLeft = false;
  let isAsking = false;

  function draw() {
    const node = find();
    slot = node?.slot;
    if (!node) return space.replaceChildren(h('p.empty', {}, live.queue ? 'There is no such node.' : 'Waiting for the first picture …'));
    renew(space, h('h2', {}, 'Room'), room(node));
    return renew(what, h('h2', {}, 'Node'), about(node));
  }
  async function look() {
    clearTimeout(timer);
    if (isAsking || hasLeft) return;
    isAsking = true;
    try {
      const answer = await ask(`nodes/${encodeURIComponent(name)}`);
      if (!hasLeft) renew(list, pods(answer));
    } catch (error) {
      if (!hasLeft) list.replaceChildren(h('p.error', {role: 'alert'}, error.message));
    }
    isAsking = false;
  }
  const leave = live.follow((change) => {
    const isHere = change.nodes === null || change.nodes.includes(slot) || (slot === undefined && find());
    if (!isHere) return;
    draw();
    clearTimeout(timer);
    timer = setTimeout(look, kPeriodMs / 4);
  });
  draw();
  look();
  return {
    leave() {
      hasLeft = true;
      clearTimeout(timer);
      leave();
    },
  };
}
