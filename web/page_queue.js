// SPDX-License-Identifier: Apache-2.0
// Queue: who waits, for how long and why.

import {ask} from './api.js';
import {chart} from './chart.js';
import {gauge, h, podLink, renew, table} from './dom.js';
import {age, ago, count, duration, percent, plural, words} from './format.js';
import {helpChange, tryLink, whatHelpsMost} from './help.js';
import * as live from './live.js';
import {overTime} from './percentiles.js';

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
  return h('li', {}, h('span.count', {}, count(pods)),
    h('span.what', {}, text || (plugin ? `Held back by ${words(plugin)}` : 'No reason was given'), ' ', plugin && h('span.tag', {}, plugin)),
    gauge(pods / most),
    h('span.small.soft', {}, plural(pods, 'pod'), nodes > 0 && `, up to ${plural(nodes, 'node')} each`, ' · ',
      examples.flatMap((name, i) => [i > 0 && ', ', podLink(...name.split('/'))]), pods > examples.length && ' …'));
}

const kParts = [0.5, 0.9, 0.99];
const kPartNames = ['half within', '90 % within', '99 % within'];

function charts() {
  const waited = overTime(live.course, 'waited', kParts);
  const chose = overTime(live.course, 'chose', kParts);
  const lines = (course) => kParts.map((_, i) => ({name: kPartNames[i], points: course.map((one) => [one.time, one.values[i]])}));
  return [
    chart('Waiting', [{name: '', points: live.course.map((one) => [one.time, one.waiting])}], count, ' pods'),
    chart('Attempts and pods bound', [{name: 'attempts', points: rates(live.course)}, {name: 'bound', points: waited.map((one) => [one.time, one.rate])}], count, ' per second'),
    chart('From the queue to a node', lines(waited), duration),
    chart('To choose a node', lines(chose), duration),
  ];
}

// What would place most pods, of all that wait.
function mostHelp(found, waiting) {
  if (found.length === 0) return h('p', {}, 'Nothing that was tried would place a pod: more than one thing is in the way of each.');
  return h('ol.helps', {}, found.map((one) => h('li', {},
    h('div.what', {}, h('strong', {}, one.text), h('span.soft.small', {}, ` ${one.isOfPod ? `for ${one.pod} and those like it` : ''} places ${plural(one.pods, 'pod')}, ${percent(one.pods / Math.max(waiting, 1))} of those that wait${one.evicted > 0 ? `, and evicts ${count(one.evicted)}` : ''}`), gauge(one.pods / Math.max(waiting, 1))),
    h('a.button', {href: tryLink([helpChange(one.pod, one.text, true)]), 'aria-label': `Apply in a copy: ${one.text}`}, 'Apply in a copy'))));
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
  const answer = h('div.parts', {'aria-live': 'polite'});
  const button = h('button', {type: 'button', onclick: findHelp}, 'Find out');
  const help = h('section.panel', {'aria-label': 'What would help most pods at once', hidden: true},
    h('div.head', {}, h('h2', {}, 'What would help most pods at once'), button),
    h('p.soft.small', {}, 'For the reasons that hold most pods, changes are found and tried on a copy of the cluster.'), answer);
  main.append(h('div.head', {}, h('h1', {}, 'Queue')), states, why, help, courses, list);
  let isAsking = false;
  let asked = 0;
  let timer = 0;
  let hasLeft = false;

  async function findHelp() {
    button.disabled = true;
    try {
      const found = await whatHelpsMost(live.queue.reasons, (done, all) => { if (!hasLeft) answer.replaceChildren(h('p.soft', {}, `Trying, ${percent(done / all)} …`)); });
      if (!hasLeft) answer.replaceChildren(mostHelp(found, live.waiting()));
    } catch (error) {
      if (!hasLeft) answer.replaceChildren(h('p.error', {role: 'alert'}, error.status === 403 ? 'You may not ask what would help.' : error.message));
    }
    button.disabled = false;
    button.textContent = 'Find out again';
  }

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
    help.hidden = reasons.length === 0;
    courses.replaceChildren(...charts());
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
