// SPDX-License-Identifier: Apache-2.0
// Cluster: all nodes as a map, grouped by a label, coloured by the use of a resource.

import {gauge, h, nodeLink, renew, table} from './dom.js';
import {amount, count, percent, plural, resourceName, share} from './format.js';
import * as live from './live.js';
import {NodeMap, drawSigns, stateOf, useOf} from './map.js';

const kZone = 'topology.kubernetes.io/zone';
const kUsual = ['cpu', 'memory', 'pods', 'ephemeral-storage'];
const kRowsMax = 100;

function sum(nodes, resource) {
  const total = {used: 0, capacity: 0};
  for (const node of nodes) {
    total.used += node.used[resource] ?? 0;
    total.capacity += node.capacity[resource] ?? 0;
  }
  return total;
}

function resourcesOf(nodes) {
  const names = new Set();
  for (const node of nodes) for (const name of Object.keys(node.capacity)) if (node.capacity[name] > 0) names.add(name);
  return [...kUsual.filter((name) => names.has(name)), ...[...names].filter((name) => !kUsual.includes(name)).sort()];
}

// Labels that make groups: those that several nodes share.
function labelsOf(nodes) {
  const values = new Map();
  for (const node of nodes) {
    for (const [key, value] of Object.entries(node.labels)) {
      if (!values.has(key)) values.set(key, new Set());
      values.get(key).add(value);
    }
  }
  return [...values].filter(([key, set]) => key === kZone || set.size === 1 || set.size < nodes.length).map(([key]) => key).sort();
}

function group(nodes, key, resource) {
  const groups = new Map();
  for (const node of nodes) {
    const name = key ? node.labels[key] ?? '(none)' : 'All nodes';
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(node);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b, undefined, {numeric: true})).map(([name, members]) => {
    const total = sum(members, resource);
    return {name, nodes: members, total, note: `${plural(members.length, 'node')} · ${percent(total.used / total.capacity)} of ${amount(resource, total.capacity)}`};
  });
}

/** Whether a node has the words in its name or in a label ("key=value"). */
function finder(words) {
  const all = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (all.length === 0) return null;
  return (node) => {
    const text = [node.name, ...Object.entries(node.labels).map(([key, value]) => `${key}=${value}`), ...node.taints, ...stateOf(node)].join('\n').toLowerCase();
    return all.every((word) => text.includes(word));
  };
}

function tile(name, value, note, part) {
  return h('div.tile', {}, h('span.name', {}, name), h('span.value', {}, value), h('span.note', {}, note), part !== undefined && gauge(part));
}

function tiles(nodes) {
  const states = ['not ready', 'cordoned', 'tainted'].map((state) => [state, nodes.filter((node) => stateOf(node).includes(state)).length]);
  const odd = states.filter(([, number]) => number > 0).map(([state, number]) => `${count(number)} ${state}`);
  const made = [
    tile('Nodes', count(nodes.length), odd.join(', ') || 'all ready'),
    tile('Pods on nodes', count(live.queue?.podsOnNodes ?? 0), `${count(live.waiting())} waiting`),
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
  main.append(
    h('div.head', {}, h('h1', {}, 'Cluster'), controls), summary,
    h('section.panel', {'aria-label': 'Map'}, signs, h('div.map', {}, canvas, hover), spoken), list);
  const view = {group: query.get('group') ?? kZone, resource: query.get('resource') ?? 'cpu', words: query.get('q') ?? ''};
  let pods = new Map();
  let listed = 0;

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

  function lookUp(slot) { return live.nodes.get(slot); }

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
    const labels = labelsOf(nodes);
    if (!resources.includes(view.resource) && resources.length > 0) view.resource = resources[0];
    if (view.group && !labels.includes(view.group)) labels.push(view.group);
    drawControls(resources, labels);
    const groups = group(nodes, view.group, view.resource);
    const isFound = finder(view.words);
    map.show(groups, view.resource, isFound);
    map.shown.lookUp = lookUp;
    pods = new Map(nodes.map((node) => [node.slot, node.used.pods ?? 0]));
    summary.replaceChildren(...tiles(nodes));
    makeList(nodes, groups, isFound);
    if (live.state === 'live' && nodes.length === 0) list.replaceChildren(h('p.empty', {}, live.queue ? 'There are no nodes.' : 'Waiting for the first picture …'));
  }

  const shape = (node) => node && JSON.stringify([node.labels[view.group], node.capacity, node.name]);
  let shapes = new Map();

  const leave = live.follow((change) => {
    if (change.nodes === null) {
      draw();
      shapes = new Map([...live.nodes.values()].map((node) => [node.slot, shape(node)]));
      return;
    }
    const isOther = change.nodes.some((slot) => shape(live.nodes.get(slot)) !== shapes.get(slot));
    if (isOther) {
      draw();
      shapes = new Map([...live.nodes.values()].map((node) => [node.slot, shape(node)]));
      return;
    }
    const arrived = change.nodes.filter((slot) => (live.nodes.get(slot).used.pods ?? 0) > (pods.get(slot) ?? 0));
    for (const slot of change.nodes) pods.set(slot, live.nodes.get(slot).used.pods ?? 0);
    const nodes = [...live.nodes.values()];
    if (change.nodes.length > 0) {
      const groups = group(nodes, view.group, view.resource);
      groups.forEach((one, i) => { map.groups[i].note = one.note; });
      map.refresh(arrived);
      if (Date.now() - listed > 1000) makeList(nodes, groups, finder(view.words));
    }
    if (change.nodes.length > 0 || change.queue) summary.replaceChildren(...tiles(nodes));
  });

  const recolour = () => { map.recolour(); signs.replaceChildren(...legend()); };
  document.addEventListener('themechange', recolour);
  recolour();
  draw();
  return {
    leave() {
      leave();
      map.end();
      document.removeEventListener('themechange', recolour);
    },
    find(words) {
      view.words = words;
      go({q: words});
      draw();
    },
  };
}

