// SPDX-License-Identifier: Apache-2.0
// Node: what it is, what is left of it, what runs there, and whom it refused.

import {ask} from './api.js';
import {write} from './changes.js';
import {facts, gauge, h, nodeLink, podLink, renew, table} from './dom.js';
import {amount, count, percent, plural, resourceName} from './format.js';
import {tryLink} from './help.js';
import * as live from './live.js';
import {labelsOf, stateOf, useOf} from './nodes.js';

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
    ['Labels', h('div.tags', {}, labelsOf(node).map(([key, value]) => h('span.tag', {}, `${key}=${value}`)))],
  ]);
}

const kStranded = 0.05;

// The largest pod that still fits, and what of the room nothing can use.
function largest(node) {
  const free = (name) => Math.max(0, (node.capacity[name] ?? 0) - (node.used[name] ?? 0));
  const part = (name) => node.capacity[name] > 0 ? free(name) / node.capacity[name] : 1;
  const names = Object.keys(node.capacity).filter((name) => name !== 'pods' && !name.startsWith('devices/') && free(name) > 0);
  const most = names.map((name) => `${amount(name, free(name))}${name === 'cpu' ? '' : ` of ${resourceName(name).toLowerCase()}`}`).join(', ');
  const scarce = ['cpu', 'memory', 'pods'].filter((name) => node.capacity[name] > 0 && part(name) < kStranded);
  const stranded = ['cpu', 'memory'].filter((name) => !scarce.includes(name) && part(name) > kStranded && scarce.length > 0);
  const others = [...live.nodes.values()].filter((other) => !other.cordoned && other.ready && other.name !== node.name && other.capacity.pods > (other.used.pods ?? 0));
  const best = others.reduce((found, other) => { const left = (other.capacity.cpu ?? 0) - (other.used.cpu ?? 0); return left > found.left ? {node: other, left} : found; }, {left: 0});
  return facts([
    ['Largest pod that fits', node.cordoned ? 'none: it is cordoned' : free('pods') === 0 ? 'none: it has as many pods as it takes' : most || 'none'],
    ['More pods', free('pods') > 0 && `${count(free('pods'))} at most`],
    ['Out of use', stranded.length > 0 && `${stranded.map((name) => `${amount(name, free(name))}${name === 'cpu' ? '' : ` of ${resourceName(name).toLowerCase()}`}`).join(' and ')}: nearly all ${scarce.map((name) => resourceName(name).toLowerCase()).join(' and ')} ${scarce.length === 1 && scarce[0] !== 'pods' ? 'is' : 'are'} taken`],
    ['Most CPU elsewhere', best.node && h('span', {}, `${amount('cpu', best.left)} on `, nodeLink(best.node.name))],
  ]);
}

function refused({refused: all, allWaiting}) {
  if (all.length === 0) return [h('h2', {}, 'What it refused'), h('p.empty', {}, 'No pod that waits was turned down here.')];
  const rows = all.map((one) => [one.reason, one.plugin ?? '', count(one.pods), h('span', {}, one.examples.flatMap((name, i) => [i > 0 && ', ', podLink(...name.split('/'))]), one.pods > one.examples.length && ' …')]);
  return [h('h2', {}, 'What it refused'), table(`Pods that wait, and why not here${allWaiting ? '' : '; of the first 10,000 that wait'}`, ['Why not', 'Plugin', 'Pods#', 'Such as'], rows)];
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
  const turned = h('section.panel', {'aria-label': 'What it refused'});
  main.append(h('div.head', {}, h('h1', {}, name), h('a', {href: tryLink([write('remove', [name])])}, 'What if it was gone?')), h('div.columns', {}, space, what), turned, list);
  const find = () => [...live.nodes.values()].find((node) => node.name === name);
  let slot;
  let timer = 0;
  let hasLeft = false;
  let isAsking = false;

  function draw() {
    const node = find();
    slot = node?.slot;
    if (!node) return space.replaceChildren(h('p.empty', {}, live.queue ? 'There is no such node.' : 'Waiting for the first picture …'));
    renew(space, h('h2', {}, 'Room'), room(node), largest(node));
    return renew(what, h('h2', {}, 'Node'), about(node));
  }
  async function look() {
    clearTimeout(timer);
    if (isAsking || hasLeft) return;
    isAsking = true;
    try {
      const answer = await ask(`nodes/${encodeURIComponent(name)}`);
      if (hasLeft) return;
      renew(list, pods(answer));
      renew(turned, ...refused(answer));
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
