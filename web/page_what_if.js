// SPDX-License-Identifier: Apache-2.0
// What if: changes are put together and tried on a copy of the cluster: the map before and after, what would become of pods,
// and the commands that would do it. The address has the changes (changes.js).

import {kKinds, parse, write} from './changes.js';
import {gauge, h, nodeLink, podLink, table} from './dom.js';
import {count, percent, plural, resourceName, share} from './format.js';
import {commandsOf, whatHelps, whatIf} from './help.js';
import * as live from './live.js';
import {NodeMap} from './map.js';
import {group, kZone, resourcesOf} from './nodes.js';

const kRows = 200;

function totals({before, after}) {
  const names = [['cpuMilli', 'cpu'], ['memoryBytes', 'memory'], ['pods', 'pods']].filter(([key]) => before[key]);
  const cell = (name, {requested, allocatable}) => h('td.gaugecell', {}, share(name, requested, allocatable), gauge(requested / allocatable, percent(requested / allocatable)));
  return table('Requested of what there is', ['Resource', 'Now', 'Then'], names.map(([key, name]) => [resourceName(name), cell(name, before[key]), cell(name, after[key])]));
}

function answerOf({pods, evictions, stillPending, unplaced, utilization, notKnown}) {
  const placed = pods.filter((pod) => pod.outcome === 'placed');
  const helped = placed.filter((pod) => pod.wasPending);
  const left = stillPending + unplaced;
  const rows = pods.slice(0, kRows).map((pod) => [podLink(pod.namespace, pod.name), h('span', {}, h(`span.tag.${pod.outcome === 'placed' ? 'good' : 'warn'}`, {}, pod.outcome)), pod.wasPending ? 'waits now' : '', pod.node ?? '', pod.message ?? '']);
  const gone = evictions.map((one) => [podLink(...one.pod.split('/')), one.node, one.preemptor]);
  return [
    h('p.say', {}, helped.length > 0 || left > 0
      ? `${plural(helped.length, 'pod')} that ${helped.length === 1 ? 'waits' : 'wait'} now would be placed; ${count(left)} would wait${evictions.length > 0 ? `, and ${plural(evictions.length, 'pod')} would be evicted` : ''}.`
      : `${plural(placed.length, 'pod')} would be placed, and none would wait${evictions.length > 0 ? `; ${plural(evictions.length, 'pod')} would be evicted` : ''}.`),
    totals(utilization),
    rows.length > 0 && table(rows.length < pods.length ? `The first ${count(kRows)} of ${plural(pods.length, 'pod')} that would be tried` : `${plural(pods.length, 'pod')} that would be tried`, ['Pod', 'Then', 'Now', 'Node', 'Why not'], rows),
    gone.length > 0 && table('Pods that would be evicted', ['Pod', 'Node', 'For'], gone),
    notKnown.length > 0 && h('details', {}, h('summary', {}, 'What the answer cannot know'), h('ul.advice', {}, notKnown.map((text) => h('li', {}, text)))),
  ].filter(Boolean);
}

/** The nodes as they would be: those that the answer does not name are as now. */
function nodesThen(answer) {
  const then = new Map([...live.nodes.values()].map((node) => [node.name, node]));
  for (const node of answer.nodes ?? []) node.gone ? then.delete(node.name) : then.set(node.name, {...node, slot: node.name});
  return [...then.values()];
}

/** Two maps side by side. Nodes that differ are framed. */
function maps(answer, view) {
  const changed = new Set((answer.nodes ?? []).map((node) => node.name));
  const sides = [['Now', [...live.nodes.values()]], ['Then', nodesThen(answer)]];
  const resources = resourcesOf([...sides[0][1], ...sides[1][1]]);
  if (!resources.includes(view.resource)) view.resource = resources[0] ?? 'cpu';
  const made = sides.map(([title, nodes]) => {
    const canvas = h('canvas', {role: 'img', 'aria-label': `Nodes ${title.toLowerCase()}: ${count(nodes.length)}`});
    const frame = h('div.map', {}, canvas);
    const card = h('p.soft.small', {}, '\u00a0');
    const map = new NodeMap(canvas, (node) => { card.textContent = node ? `${node.name}: ${share(view.resource, node.used[view.resource] ?? 0, node.capacity[view.resource] ?? 0)}, ${plural(node.used.pods ?? 0, 'pod')}` : '\u00a0'; }, (node) => { if (title === 'Now') location.hash = `#/nodes/${encodeURIComponent(node.name)}`; });
    const draw = () => map.show(group(nodes, kZone, view.resource), view.resource, null, (node) => changed.has(node.name));
    return {map, draw, element: h('section', {'aria-label': `Map ${title.toLowerCase()}`}, h('h3', {}, title), frame, card)};
  });
  const choose = h('label', {}, 'Colour by', h('select', {onchange: (event) => { view.resource = event.target.value; made.forEach(({draw}) => draw()); }}, resources.map((name) => h('option', {value: name, selected: name === view.resource}, resourceName(name)))));
  return {
    element: h('section.panel', {'aria-label': 'Before and after'}, h('div.head', {}, h('h2', {}, 'Before and after'), h('div.controls', {}, choose)),
      h('p.soft.small', {}, changed.size > 0 ? `${plural(changed.size, 'node')} would be other than now: framed.` : 'No node would be other than now.'),
      h('div.columns', {}, made.map(({element}) => element))),
    draw() { made.forEach(({draw}) => draw()); },
    recolour() { made.forEach(({map}) => map.recolour()); },
    end() { made.forEach(({map}) => map.end()); },
  };
}

export function show(main, {query, go}) {
  const fields = h('div.controls');
  const list = h('ol.helps');
  const picture = h('div.parts');
  const outcome = h('section.panel', {'aria-label': 'Answer', 'aria-live': 'polite'});
  const commands = h('section.panel', {'aria-label': 'Commands'});
  const names = h('datalist', {id: 'node-names'});
  let changes = query.getAll('c').map(parse).filter(Boolean);
  let kind = 'add';
  let drawn = null;
  const view = {resource: 'cpu'};
  let hasLeft = false;
  let asked = 0;

  const input = (field) => h('label', {}, field.label, h(field.isLong ? 'textarea' : 'input', {rows: field.isLong && '4',
    name: field.name, type: field.type ?? 'text', min: field.type && '1', max: field.type && '10000', value: field.value, placeholder: field.hint, required: true, autocomplete: 'off', spellcheck: 'false', list: field.list && 'node-names'}));
  const choose = h('label', {}, 'Change', h('select', {name: 'kind', onchange: (event) => { kind = event.target.value; drawFields(); }}, Object.entries(kKinds).filter(([, {title}]) => title).map(([key, {title}]) => h('option', {value: key}, title))));
  const complaint = h('p.error', {role: 'alert'});
  const form = h('form.controls', {onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const made = parse(write(kind, kKinds[kind].fields.map((field) => String(data.get(field.name)).trim())));
    const wrong = kKinds[kind].check?.(made.words) ?? '';
    complaint.textContent = wrong;
    if (wrong) return;
    changes.push(made);
    update();
  }}, choose, fields, h('button', {type: 'submit'}, 'Add'));
  main.append(
    h('div.head', {}, h('h1', {}, 'What if'), h('p.soft.small', {}, 'Tried on a copy of the cluster. Nothing is changed.')),
    h('section.panel', {'aria-label': 'Changes'}, form, complaint, list, names), picture, outcome, commands);

  function drawFields() { fields.replaceChildren(...kKinds[kind].fields.map(input)); }
  function drawNames() { names.replaceChildren(...[...live.nodes.values()].slice(0, 500).map((node) => h('option', {value: node.name}))); }

  function update() {
    go({c: changes.map((change) => change.text)});
    list.replaceChildren(...changes.map((change, i) => h('li', {}, h('span.what', {}, kKinds[change.kind].say(change.words)),
      h('button.quiet', {type: 'button', 'aria-label': `Take back: ${kKinds[change.kind].say(change.words)}`, onclick: () => { changes.splice(i, 1); update(); }}, 'Take back'))));
    look();
  }

  async function look() {
    const mine = asked += 1;
    commands.hidden = changes.length === 0;
    if (changes.length === 0) {
      showMaps(null);
      outcome.replaceChildren(h('p.empty', {}, 'Add a change to see what would come of it: which pods would be placed, and which would wait.'));
      return;
    }
    outcome.replaceChildren(h('p.empty', {}, 'Asking …'));
    showCommands(mine);
    const question = {
      nodes: true,
      changes: changes.filter((change) => kKinds[change.kind].change).map((change) => kKinds[change.kind].change(change.words)),
      objects: changes.filter((change) => kKinds[change.kind].object).map((change) => kKinds[change.kind].object(change.words)),
    };
    try {
      const answer = await whatIf(question);
      if (hasLeft || mine !== asked) return;
      outcome.replaceChildren(...answerOf(answer));
      showMaps(answer);
    } catch (error) {
      if (!hasLeft && mine === asked) outcome.replaceChildren(h('p.error', {role: 'alert'}, error.message));
    }
  }

  function showMaps(answer) {
    drawn?.end();
    drawn = answer && maps(answer, view);
    picture.replaceChildren(...(drawn ? [drawn.element] : []));
    drawn?.draw();
  }

  // What helps a pod is found anew, so that the commands are for the cluster as it is.
  async function commandOf({kind: name, words}) {
    if (kKinds[name].command) return kKinds[name].command(words);
    const [ns, pod, text] = words;
    const answer = await whatHelps(ns, pod);
    const change = answer.changes.find((one) => one.text === text);
    return change ? `# ${text}, for ${answer.owner ? `${answer.owner} of ` : ''}pod ${ns}/${pod}\n${commandsOf(change, answer.owner)}` : `# this would not help pod ${ns}/${pod} now: ${text}`;
  }

  async function showCommands(mine) {
    const said = await Promise.all(changes.map((change) => commandOf(change).catch((error) => `# ${error.message}`)));
    if (hasLeft || mine !== asked) return;
    commands.replaceChildren(h('h2', {}, 'To do it'), h('pre.mono', {tabindex: '0'}, said.join('\n')));
  }

  const recolour = () => drawn?.recolour();
  document.addEventListener('themechange', recolour);
  const leave = live.follow((change) => { if (change.nodes === null) drawNames(); });
  drawFields();
  drawNames();
  update();
  return {
    leave() {
      hasLeft = true;
      drawn?.end();
      document.removeEventListener('themechange', recolour);
      leave();
    },
  };
}
