// SPDX-License-Identifier: Apache-2.0
// Cluster: all nodes as a map, grouped by a label, coloured by the use of a resource.

import {ask} from './api.js';
import {gauge, h, nodeLink, podLink, renew, table} from './dom.js';
import {amount, count, percent, plural, resourceName, share} from './format.js';
import * as live from './live.js';
import {NodeMap, drawSigns} from './map.js';
import {finder, group, groupingLabels, kZone, resourcesOf, stateOf, sum, useOf} from './nodes.js';

const kRowsMax = 100;
const kSearchMs = 300;

function tile(name, value, note, part) {
  return h('div.tile', {}, h('span.name', {}, name), h('span.value', {}, value), h('span.note', {}, note), part !== undefined && gauge(part));
}

function tiles(nodes) {
  const states = ['not ready', 'cordoned', 'tainted'].map((state) => [state, nodes.filter((node) => stateOf(node).includes(state)).length]);
  const odd = states.filter(([, number]) => number > 0).map(([state, number]) => `${count(number)} ${state}`);
  const waiting = live.waiting();
  const made = [
    tile('Nodes', count(nodes.length), odd.join(', ') || 'all ready'),
    tile('Pods on nodes', count(live.queue?.podsOnNodes ?? 0), waiting > 0 ? h('a', {href: '#/queue'}, `${count(waiting)} waiting`) : '0 waiting'),
  ];
  for (const resource of ['cpu', 'memory']) {
    const {used, capacity} = sum(nodes, resource);
    made.push(tile(`${resourceName(resource)} requested`, percent(used / capacity), share(resource, used, capacity), used / capacity));
  }
  return made;
}

function card(node, resource) {
  const shown = [...new Set([resource, 'cpu', 'memory', 'pods'])].filter((name) => node.capacity[name] > 0);
  return [
    h('h3', {}, node.name),
    h('div.tags', {}, stateOf(node).map((state) => h('span.tag.warn', {}, state)), node.labels[kZone] && h('span.tag', {}, node.labels[kZone])),
    h('dl', {}, shown.map((name) => [
      h('dt', {}, resourceName(name)), h('dd', {}, gauge(useOf(node, name))),
      h('dd', {}, share(name, node.used[name] ?? 0, node.capacity[name]))])),
    node.taints.length > 0 && h('p.soft', {}, node.taints.join(', ')),
  ];
}

function say(node, resource) {
  const states = stateOf(node);
  return `${node.name}: ${percent(useOf(node, resource))} of ${resourceName(resource)} requested, ${plural(node.used.pods ?? 0, 'pod')}${states.length > 0 ? ', ' + states.join(', ') : ''}`;
}

function legend() {
  const sign = (text, like) => {
    const canvas = h('canvas', {width: '36', height: '36', 'aria-hidden': 'true'});
    const style = getComputedStyle(document.documentElement);
    const context = canvas.getContext('2d');
    context.fillStyle = style.getPropertyValue('--use-1').trim();
    context.fillRect(0, 0, 36, 36);
    drawSigns(context, 0, 0, 36, {ready: true, cordoned: false, taints: [], ...like}, style.getPropertyValue('--mark').trim(), style.getPropertyValue('--panel').trim());
    return h('span', {}, canvas, text);
  };
  return [h('span', {}, '0 %', h('i.ramp', {'aria-hidden': 'true'}), '100 % requested'), sign('cordoned', {cordoned: true}), sign('not ready', {ready: false}), sign('tainted', {taints: ['']})];
}

function select(label, values, chosen, name, onChange) {
  const options = values.map(([value, text]) => h('option', {value, selected: value === chosen}, text));
  return h('label', {}, label, h('select', {name, onchange: (event) => onChange(event.target.value)}, options));
}

/** Shows the page in `main`; returns how to leave it. `go(changes)` changes the address. */
export function show(main, {query, go}) {
  const controls = h('div.controls');
  const summary = h('div.tiles');
  const canvas = h('canvas', {tabindex: '0', role: 'application', 'aria-roledescription': 'map of nodes', 'aria-label': 'Nodes. Arrow keys move, Enter opens a node.'});
  const hover = h('div.card', {hidden: true, 'aria-hidden': 'true'});
  const spoken = h('p.unseen', {'aria-live': 'polite'});
  const signs = h('div.legend');
  const list = h('section.panel', {'aria-label': 'Nodes in numbers'});
  const pods = h('section.panel', {'aria-label': 'Pods that were found', hidden: true});
  main.append(
    h('div.head', {}, h('h1', {}, 'Cluster'), controls), summary,
    h('section.panel', {'aria-label': 'Map'}, signs, h('div.map', {}, canvas, hover), spoken), list, pods);
  const view = {group: query.get('group') ?? kZone, resource: query.get('resource') ?? 'cpu', words: query.get('q') ?? ''};
  let counts = new Map();  // Pods by node.
  let listed = 0;
  let searching = 0;
  let found = new Map();  // Pods that were found, by node.

  // Pods with these words in their names, labels or owners, which the server knows.
  function search() {
    clearTimeout(searching);
    found = new Map();
    pods.hidden = true;
    const words = view.words.trim();
    if (words.length < 2) return;
    searching = setTimeout(async () => {
      const answer = await ask(`pods?limit=${kRowsMax}&q=${encodeURIComponent(words)}`).catch(() => null);
      if (!answer || words !== view.words.trim() || !main.contains(pods)) return;
      found = new Map(answer.nodes.map((one) => [one.node, one.count]));
      pods.hidden = answer.count === 0;
      pods.replaceChildren(table(`${plural(answer.count, 'pod')} found${answer.count > answer.pods.length ? `, the first ${kRowsMax}` : ''}`, ['Pod', 'Owner', 'Node'],
        answer.pods.map((pod) => [podLink(pod.namespace, pod.name), pod.owner ?? '', pod.node ? nodeLink(pod.node) : 'waits'])));
      draw();
    }, kSearchMs);
  }

  // A node is found by itself or by its pods.
  function isFoundBy() {
    const isFound = finder(view.words);
    return isFound && ((node) => isFound(node) || found.has(node.name));
  }

  const map = new NodeMap(canvas, (node, box) => {
    hover.hidden = !node;
    if (!node) return;
    hover.replaceChildren(...card(node, view.resource).filter(Boolean));
    const right = box.x + box.side + 10;
    hover.style.left = `${Math.max(0, right + hover.offsetWidth > canvas.clientWidth ? Math.min(box.x - hover.offsetWidth - 10, canvas.clientWidth - hover.offsetWidth) : right)}px`;
    hover.style.top = `${Math.max(0, box.y - 8)}px`;
    if (document.activeElement === canvas) spoken.textContent = say(node, view.resource);
  }, (node) => { location.hash = `#/nodes/${encodeURIComponent(node.name)}`; });

  function makeList(nodes, groups, isFound) {
    listed = Date.now();
    const found = isFound ? nodes.filter(isFound) : [];
    renew(list, isFound
      ? table(`${plural(found.length, 'node')} found${found.length > kRowsMax ? `, the first ${kRowsMax}` : ''}`, ['Node', 'State', `${resourceName(view.resource)} requested`, 'Of#', 'Pods#'],
        found.slice(0, kRowsMax).map((node) => [nodeLink(node.name), stateOf(node).join(', ') || 'ready',
          h('td.gaugecell', {}, gauge(useOf(node, view.resource), percent(useOf(node, view.resource)))), amount(view.resource, node.capacity[view.resource] ?? 0), count(node.used.pods ?? 0)]))
      : table('What is left, by group', [view.group === kZone ? 'Zone' : view.group || 'Group', 'Nodes#', 'Requested#', 'Of#', 'Free#', 'Use'],
        groups.slice(0, kRowsMax).map(({name, nodes: members, total}) => [name, count(members.length), amount(view.resource, total.used), amount(view.resource, total.capacity), amount(view.resource, total.capacity - total.used),
          h('td.gaugecell', {}, gauge(total.used / total.capacity, percent(total.used / total.capacity)))])));
  }

  // Anew only if there is something else to choose, so that who is choosing is not disturbed.
  let choices = '';
  function drawControls(resources, labels) {
    const now = JSON.stringify([resources, labels]);
    if (now === choices) return;
    choices = now;
    renew(controls,
      select('Group by', [['', 'nothing'], ...labels.map((key) => [key, key === kZone ? 'zone' : key])], view.group, 'group', (value) => { view.group = value; go({group: value}); draw(); }),
      select('Colour by', resources.map((name) => [name, resourceName(name)]), view.resource, 'resource', (value) => { view.resource = value; go({resource: value}); draw(); }));
  }

  function draw() {
    const nodes = [...live.nodes.values()];
    const resources = resourcesOf(nodes);
    const labels = groupingLabels(nodes);
    if (!resources.includes(view.resource) && resources.length > 0) view.resource = resources[0];
    if (view.group && !labels.includes(view.group)) labels.push(view.group);
    drawControls(resources, labels);
    const groups = group(nodes, view.group, view.resource);
    const isFound = isFoundBy();
    map.show(groups, view.resource, isFound);
    counts = new Map(nodes.map((node) => [node.slot, node.used.pods ?? 0]));
    renew(summary, ...tiles(nodes));
    makeList(nodes, groups, isFound);
    if (live.state === 'live' && nodes.length === 0) list.replaceChildren(h('p.empty', {}, live.queue ? 'There are no nodes.' : 'Waiting for the first picture …'));
  }

  // Whether a node stands where it stood: what it is like is another object if it has changed.
  let shapes = new Map();
  const noteShapes = () => { shapes = new Map([...live.nodes.values()].map((node) => [node.slot, node.capacity])); };

  const leave = live.follow((change) => {
    if (change.nodes === null) {
      draw();
      noteShapes();
      return;
    }
    if (change.nodes.some((slot) => live.nodes.get(slot)?.capacity !== shapes.get(slot))) {
      draw();
      noteShapes();
      return;
    }
    const arrived = change.nodes.filter((slot) => (live.nodes.get(slot).used.pods ?? 0) > (counts.get(slot) ?? 0));
    for (const slot of change.nodes) counts.set(slot, live.nodes.get(slot).used.pods ?? 0);
    const nodes = [...live.nodes.values()];
    if (change.nodes.length > 0) {
      const groups = group(nodes, view.group, view.resource);
      groups.forEach((one, i) => { map.groups[i].note = one.note; });
      map.refresh(arrived);
      if (Date.now() - listed > 1000) makeList(nodes, groups, isFoundBy());
    }
    if (change.nodes.length > 0 || change.queue) renew(summary, ...tiles(nodes));
  });

  const recolour = () => { map.recolour(); signs.replaceChildren(...legend()); };
  document.addEventListener('themechange', recolour);
  recolour();
  draw();
  noteShapes();
  search();
  return {
    leave() {
      leave();
      clearTimeout(searching);
      map.end();
      document.removeEventListener('themechange', recolour);
    },
    find(words) {
      view.words = words;
      go({q: words});
      search();
      draw();
    },
  };
}

