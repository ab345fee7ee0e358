// SPDX-License-Identifier: Apache-2.0
// Queue: who waits, for how long and why.

import {ask} from './api.js';
import {gauge, h, podLink, renew, table} from './dom.js';
import {age, ago, count, plural, words} from './format.js';
import {adviceFor} from './advice.js';
import * as live from './live.js';

const kStates = [
  ['active', 'Active', 'to be tried now'],
  ['backoff', 'Backing off', 'were turned down, and are tried again soon'],
  ['unschedulable', 'Unschedulable', 'wait for the cluster to change'],
  ['gated', 'Gated', 'are held back'],
  ['awaitsGroup', 'Awaiting their group', 'wait for others of their group'],
  ['binding', 'Binding', 'have a node and are being bound'],
];
const kAges = ['under 10 s', 'under 1 min', 'under 10 min', 'under 1 h', '1 h and more'];
const kRows = 200;
const kListPeriodMs = 2000;

const nameOf = (state) => (kStates.find(([key]) => key === state) ?? [state, words(state)])[1];

function tile([key, name, note]) {
  const {pods, oldest, ages} = live.queue.states[key];
  const most = Math.max(1, ...(ages ?? []));
  const said = (ages ?? []).map((number, i) => number > 0 && `${count(number)} ${kAges[i]}`).filter(Boolean).join(', ');
  const bars = (ages ?? []).map((number, i) => {
    const bar = h('i', {title: `${count(number)} ${kAges[i]}`});
    bar.style.setProperty('--part', number / most);
    return bar;
  });
  return h('div.tile', {}, h('span.name', {}, name), h('span.value', {}, count(pods)),
    h('span.note', {}, oldest ? `oldest ${age(oldest)}` : note),
    bars.length > 0 && h('div.spread', {role: 'img', 'aria-label': `By age: ${said}`}, bars));
}

function reason({plugin, reason: text, pods, nodes, examples}, most) {
  const advice = adviceFor(plugin ?? '', text ?? '');
  return h('li', {}, h('span.count', {}, count(pods)),
    h('span.what', {}, text || (plugin ? `Held back by ${words(plugin)}` : 'No reason was given'), ' ', plugin && h('span.tag', {}, plugin)),
    gauge(pods / most),
    h('span.small.soft', {}, plural(pods, 'pod'), nodes > 0 && `, up to ${plural(nodes, 'node')} each`, ' · ',
      examples.flatMap((name, i) => [i > 0 && ', ', podLink(...name.split('/'))]), pods > examples.length && ' …'),
    advice && h('span.small', {}, advice));
}

// What was counted over time as a line, from zero to the most that there was.
function chart(title, points, unit) {
  const most = Math.max(1, ...points.map(([, value]) => value));
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  const place = ([time, value]) => `${((time - first) / Math.max(last - first, 1) * 600).toFixed(1)} ${(118 - value / most * 112).toFixed(1)}`;
  const line = points.map(place).join(' L ');
  const make = (name, attributes) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const now = points.at(-1)?.[1] ?? 0;
  const svg = make('svg', {class: 'chart', viewBox: '0 0 600 120', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${count(now)} ${unit} now, at most ${count(most)}`});
  if (points.length > 1) svg.append(make('path', {class: 'area', d: `M 0 120 L ${line} L 600 120 Z`}), make('path', {d: `M ${line}`}));
  return h('section.panel', {}, h('div.head', {}, h('h2', {}, title), h('p.soft.small', {}, `${count(now)} ${unit} now, at most ${count(most)}${points.length > 1 ? `, over ${age(first, last)}` : ''}`)), svg);
}

// Attempts per second between what was counted.
function rates(course) {
  const made = [];
  for (let i = 1; i < course.length; i += 1) {
    const seconds = (course[i].time - course[i - 1].time) / 1000;
    if (seconds > 0) made.push([course[i].time, Math.max(0, course[i].attempts - course[i - 1].attempts) / seconds]);
  }
  return made;
}

function pods(listing) {
  const rows = listing.pods.map(({namespace, name, priority, queue}) => [
    podLink(namespace, name), nameOf(queue.where) + (queue.place ? `, ${count(queue.place)}.` : ''), queue.since ? ago(queue.since) : '',
    count(queue.attempts), count(priority), queue.waitsFor.join(', '), queue.nextRetry ? [ago(queue.nextRetry), queue.mayBeEarlier && ' or earlier'].filter(Boolean) : '']);
  if (rows.length === 0) return h('p.empty', {}, 'No pod waits.');
  const more = listing.total > rows.length ? `The first ${count(rows.length)} of ${plural(listing.total, 'pod')} that wait` : `${plural(listing.total, 'pod')} that ${listing.total === 1 ? 'waits' : 'wait'}`;
  return table(`${more}, in the order in which they are tried`, ['Pod', 'State', 'Since', 'Attempts#', 'Priority#', 'Turned down by', 'Next attempt'],
    rows.map((cells) => cells.map((cell) => Array.isArray(cell) ? h('span', {}, cell) : cell)));
}

export function show(main) {
  const states = h('div.tiles');
  const why = h('section.panel');
  const courses = h('div.columns');
  const list = h('section.panel', {'aria-label': 'Pods that wait'}, h('p.empty', {}, 'Asking …'));
  main.append(h('div.head', {}, h('h1', {}, 'Queue'), h('a', {href: '#/what-if'}, 'What would help?')), states, why, courses, list);
  let isAsking = false;
  let asked = 0;
  let timer = 0;
  let hasLeft = false;

  async function askForPods() {
    clearTimeout(timer);
    if (isAsking || hasLeft) return;
    const wait = asked + kListPeriodMs - Date.now();
    if (wait > 0) {
      timer = setTimeout(askForPods, wait);
      return;
    }
    isAsking = true;
    asked = Date.now();
    try {
      const listing = await ask(`queue?limit=${kRows}`);
      if (!hasLeft) renew(list, pods(listing));
    } catch (error) {
      if (!hasLeft) list.replaceChildren(h('p.error', {}, error.message));
    }
    isAsking = false;
  }

  function draw() {
    if (!live.queue) return;
    states.replaceChildren(...kStates.map(tile));
    const {reasons, reasonCount} = live.queue;
    const most = Math.max(1, ...reasons.map((one) => one.pods));
    renew(why, ...[
      h('div.head', {}, h('h2', {}, 'Why'), reasons.length > 0 && h('p.soft.small', {}, 'What holds most pods comes first. A pod counts under each of its reasons.')),
      reasons.length > 0 ? h('ul.reasons', {}, reasons.map((one) => reason(one, most))) : h('p.empty', {}, 'Nothing is turned down.'),
      reasonCount > reasons.length && h('p.soft.small', {}, `… and ${count(reasonCount - reasons.length)} more.`),
    ].filter(Boolean));
    courses.replaceChildren(
      chart('Waiting', live.course.map((one) => [one.time, one.waiting]), 'pods'),
      chart('Attempts', rates(live.course), 'per second'));
  }

  const leave = live.follow((change) => {
    if (!change.queue) return;
    draw();
    askForPods();
  });
  draw();
  askForPods();
  return {
    leave() {
      hasLeft = true;
      clearTimeout(timer);
      leave();
    },
  };
}
