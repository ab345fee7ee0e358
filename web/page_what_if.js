// SPDX-License-Identifier: Apache-2.0
// What if: changes are put together, tried on a copy of the cluster, and told as commands.
//
// The address has the changes, each as words with slashes between: c=add/3/node-7, c=cordon/node-1,node-2,
// c=taint/pool=b/team=a:NoSchedule, c=run/5/2/4Gi. Nodes are names with commas between, or a label selector.

import {ask} from './api.js';
import {gauge, h, podLink, table} from './dom.js';
import {count, percent, plural, resourceName, share} from './format.js';
import * as live from './live.js';

const kRows = 200;
const kName = 'what-if';

const choice = (words) => /[=!(]/.test(words) ? {selector: words} : {names: words.split(',').map((name) => name.trim()).filter(Boolean)};
const onNodes = (words) => /[=!(]/.test(words) ? `-l '${words}'` : words.split(',').map((name) => name.trim()).join(' ');
const taintOf = (text) => {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(.+)$/.exec(text) ?? [null, text, '', 'NoSchedule'];
  return {key, value: value ?? '', effect};
};

function deployment([number, cpu, memory]) {
  const labels = {app: kName};
  const resources = {requests: {cpu, memory}};
  return {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: kName, namespace: 'default'},
    spec: {replicas: Number(number), selector: {matchLabels: labels}, template: {metadata: {labels}, spec: {containers: [{name: 'main', image: 'main', resources}]}}}};
}

const nodesField = {name: 'nodes', label: 'Nodes', hint: 'node-1, node-2 or zone=east', list: true};
const kKinds = {
  add: {
    title: 'Add nodes', fields: [{name: 'count', label: 'How many', type: 'number', value: '1'}, {name: 'like', label: 'Like', hint: 'node-1', list: true}],
    say: ([number, like]) => `Add ${plural(Number(number), 'node')} like ${like}`,
    change: ([number, like]) => ({addNodes: {count: Number(number), like}}),
    command: ([number, like]) => `berth node add ${number} --like ${like}`,
  },
  cordon: {title: 'Cordon nodes', fields: [nodesField], say: ([nodes]) => `Cordon ${nodes}`, change: ([nodes]) => ({cordon: choice(nodes)}), command: ([nodes]) => `kubectl cordon ${onNodes(nodes)}`},
  uncordon: {title: 'Uncordon nodes', fields: [nodesField], say: ([nodes]) => `Uncordon ${nodes}`, change: ([nodes]) => ({uncordon: choice(nodes)}), command: ([nodes]) => `kubectl uncordon ${onNodes(nodes)}`},
  remove: {title: 'Remove nodes', fields: [nodesField], say: ([nodes]) => `Remove ${nodes}`, change: ([nodes]) => ({removeNodes: choice(nodes)}), command: ([nodes]) => `kubectl drain ${onNodes(nodes)} --ignore-daemonsets && kubectl delete node ${onNodes(nodes)}`},
  taint: {
    title: 'Taint nodes', fields: [nodesField, {name: 'taint', label: 'Taint', hint: 'team=a:NoSchedule'}],
    say: ([nodes, taint]) => `Taint ${nodes} with ${taint}`,
    change: ([nodes, taint]) => ({taint: {...choice(nodes), taints: [taintOf(taint)]}}),
    command: ([nodes, taint]) => `kubectl taint nodes ${onNodes(nodes)} ${taint}`,
  },
  run: {
    title: 'Run pods', fields: [{name: 'count', label: 'How many', type: 'number', value: '1'}, {name: 'cpu', label: 'CPU of each', hint: '500m', value: '1'}, {name: 'memory', label: 'Memory of each', hint: '2Gi', value: '1Gi'}],
    say: ([number, cpu, memory]) => `Run ${plural(Number(number), 'pod')} that request cpu ${cpu} and memory ${memory}`,
    object: deployment,
    command: (words) => `kubectl apply -f - <<'END'\n${JSON.stringify(deployment(words))}\nEND`,
  },
};

function parse(text) {
  const [kind, ...words] = text.split('/');
  return kKinds[kind] && words.length >= kKinds[kind].fields.length ? {kind, words: kKinds[kind].fields.length === 1 ? [words.join('/')] : words, text} : null;
}

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

export function show(main, {query, go}) {
  const fields = h('div.controls');
  const list = h('ol.advice');
  const outcome = h('section.panel', {'aria-label': 'Answer', 'aria-live': 'polite'});
  const commands = h('section.panel', {'aria-label': 'Commands'});
  const names = h('datalist', {id: 'node-names'});
  let changes = query.getAll('c').map(parse).filter(Boolean);
  let kind = 'add';
  let hasLeft = false;
  let asked = 0;

  const input = (field) => h('label', {}, field.label, h('input', {
    name: field.name, type: field.type ?? 'text', min: field.type && '1', max: field.type && '10000', value: field.value, placeholder: field.hint, required: true, autocomplete: 'off', spellcheck: 'false', list: field.list && 'node-names'}));
  const choose = h('label', {}, 'Change', h('select', {name: 'kind', onchange: (event) => { kind = event.target.value; drawFields(); }}, Object.entries(kKinds).map(([key, {title}]) => h('option', {value: key}, title))));
  const form = h('form.controls', {onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const text = [kind, ...kKinds[kind].fields.map((field) => String(data.get(field.name)).trim())].join('/');
    changes.push(parse(text));
    update();
  }}, choose, fields, h('button', {type: 'submit'}, 'Add'));
  main.append(
    h('div.head', {}, h('h1', {}, 'What if'), h('p.soft.small', {}, 'Tried on a copy of the cluster. Nothing is changed.')),
    h('section.panel', {'aria-label': 'Changes'}, form, list, names), outcome, commands);

  function drawFields() { fields.replaceChildren(...kKinds[kind].fields.map(input)); }
  function drawNames() { names.replaceChildren(...[...live.nodes.values()].slice(0, 500).map((node) => h('option', {value: node.name}))); }

  function update() {
    go({c: changes.map((change) => change.text)});
    list.replaceChildren(...changes.map((change, i) => h('li', {}, kKinds[change.kind].say(change.words), ' ',
      h('button.quiet', {type: 'button', 'aria-label': `Take back: ${kKinds[change.kind].say(change.words)}`, onclick: () => { changes.splice(i, 1); update(); }}, 'Take back'))));
    look();
  }

  async function look() {
    const mine = asked += 1;
    commands.hidden = changes.length === 0;
    if (changes.length === 0) {
      outcome.replaceChildren(h('p.empty', {}, 'Add a change to see what would come of it: which pods would be placed, and which would wait.'));
      return;
    }
    outcome.replaceChildren(h('p.empty', {}, 'Asking …'));
    commands.replaceChildren(h('h2', {}, 'To do it'), h('pre.mono', {tabindex: '0'}, changes.map((change) => kKinds[change.kind].command(change.words)).join('\n')));
    const body = JSON.stringify({
      changes: changes.filter((change) => kKinds[change.kind].change).map((change) => kKinds[change.kind].change(change.words)),
      objects: changes.filter((change) => kKinds[change.kind].object).map((change) => kKinds[change.kind].object(change.words)),
    });
    try {
      const answer = await ask('what-if', {method: 'POST', body, headers: {'Content-Type': 'application/json'}});
      if (!hasLeft && mine === asked) outcome.replaceChildren(...answerOf(answer));
    } catch (error) {
      if (!hasLeft && mine === asked) outcome.replaceChildren(h('p.error', {role: 'alert'}, error.message));
    }
  }

  const leave = live.follow((change) => { if (change.nodes === null) drawNames(); });
  drawFields();
  drawNames();
  update();
  return {
    leave() {
      hasLeft = true;
      leave();
    },
  };
}
