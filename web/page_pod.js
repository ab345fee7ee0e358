// SPDX-License-Identifier: Apache-2.0
// Pod: why it waits, or why it is where it is.

import {ask} from './api.js';
import {facts, gauge, h, nodeLink, podLink, renew, table} from './dom.js';
import {ago, count, percent, plural, when, words} from './format.js';
import {helpList, whatHelps} from './help.js';
import * as live from './live.js';

const kPeriodMs = 2000;
const kHelpPeriodMs = 15000;

const list = (items) => items.flatMap((item, i) => i > 0 ? [', ', item] : [item]);

const kOutcomes = {scheduled: ['good', 'scheduled'], unschedulable: ['warn', 'no node fits'], error: ['bad', 'error']};

// Nodes with the same verdict are one row: as many rows as there are verdicts, however many nodes there are.
function rejections({rejections: all, nodeCount, feasibleCount}) {
  if (all.length === 0) return null;
  const rows = all.map(({plugin, reasons, count: number, nodes}) => [
    h('span', {}, reasons.join('; ') || 'no reason was given'), plugin,
    count(number), h('td.gaugecell', {}, gauge(number / nodeCount, percent(number / nodeCount))),
    h('span', {}, list(nodes.map(nodeLink)), number > nodes.length && ' …')]);
  return table(`Of ${plural(nodeCount, 'node')}, ${plural(feasibleCount, 'fits', 'fit')}`, ['Why not', 'Plugin', 'Nodes#', 'Of all', 'Such as'], rows);
}

function scores({scores: all, node}) {
  if (all.length === 0) return null;
  const plugins = [...new Set(all.flatMap((score) => Object.keys(score.plugins)))];
  const rows = all.map((score) => [h('span', {}, nodeLink(score.node), score.node === node && h('span.unseen', {}, ', chosen')), score.node === node ? 'chosen' : '', count(score.total), ...plugins.map((plugin) => count(score.plugins[plugin] ?? 0))]);
  return table('Scores of the best nodes, weighted', ['Node', '', 'Total#', ...plugins.map((plugin) => `${words(plugin)}#`)], rows);
}

function preemption({preemption: weighed}) {
  if (!weighed) return null;
  const rows = weighed.candidates.map((one) => [nodeLink(one.node), one.chosen ? 'chosen' : '', h('span', {}, list(one.victims.map((victim) => podLink(...victim.split('/'))))), count(one.pdbViolations), count(one.highestPriority)]);
  return [h('p', {}, 'Preemption: ', weighed.message || (rows.length > 0 ? 'pods of lower priority can make room.' : 'no help.')),
    rows.length > 0 && table(`Nodes where evictions would help: ${count(weighed.candidateCount)}`, ['Node', '', 'Victims', 'Budgets violated#', 'Highest priority#'], rows)];
}

function group({group: tried}) {
  if (!tried) return null;
  const rows = tried.domains.map((domain) => [domain.name || domain.group, domain.message, h('span', {}, Object.entries(domain.members).map(([name, why]) => h('p', {}, `${name}: ${why}`)))]);
  return [h('p', {}, `Tried with its group ${tried.name}. `, tried.preemption), rows.length > 0 && table('Where the group does not fit', ['Domain', 'Why not', 'Pods'], rows)];
}

function attempt(one) {
  const [kind, said] = kOutcomes[one.outcome] ?? ['', one.outcome];
  const woken = one.wokenBy.cause && `${words(one.wokenBy.cause)}${one.wokenBy.plugin ? `, of which ${one.wokenBy.plugin} expected something` : ''}`;
  const declined = one.declinedEvents.count > 0 && `${plural(one.declinedEvents.count, 'event')} of which no plugin expected anything${one.declinedEvents.last ? `, the last one ${one.declinedEvents.last}` : ''}`;
  const waited = Object.entries(one.waitedSeconds).filter(([, seconds]) => seconds >= 0.001).map(([where, seconds]) => `${seconds < 10 ? seconds.toFixed(3) : Math.round(seconds)} s ${where}`).join(', ');
  return h('div.attempt', {},
    h('div.head', {}, h('h3', {}, `Attempt ${one.number} `, h(`span.tag.${kind}`, {}, said)), h('span.soft.small', {title: when(one.began)}, ago(one.began))),
    one.node && h('p', {}, 'Chosen: ', nodeLink(one.node), one.tiedCount > 1 ? ` among ${count(one.tiedCount)} with the same score` : '', one.nominatedNode ? ', which was nominated: no other was looked at' : ''),
    one.message && h('p.mono', {}, one.message),
    rejections(one), scores(one), preemption(one), group(one),
    facts([['Woken by', woken], ['Not woken by', declined], ['Waited', waited], ['Bound', one.bound && when(one.bound)], ['Given up', one.refused && when(one.refused)]]));
}

function place(queue) {
  const wakers = new Map();
  for (const {plugin, event, depends} of queue.wokenBy) {
    if (!wakers.has(plugin)) wakers.set(plugin, []);
    wakers.get(plugin).push(event + (depends ? ' (if it helps this pod)' : ''));
  }
  return facts([
    ['State', words(queue.where) + (queue.place ? `, number ${count(queue.place)} of ${count(queue.length)}` : '')],
    ['Group', queue.group], ['Since', queue.since && ago(queue.since)], ['Brought there by', queue.cause && words(queue.cause)], ['Attempts', count(queue.attempts)],
    ['Turned down by', queue.waitsFor.join(', ')],
    ['Next attempt', queue.nextRetry && h('span', {}, ago(queue.nextRetry), queue.mayBeEarlier ? ', or earlier if something helps' : '')],
    ['Woken by', wakers.size > 0 && h('details', {}, h('summary', {}, `${plural(queue.wokenBy.length, 'kind')} of events`), [...wakers].map(([plugin, events]) => h('p.small', {}, h('strong', {}, plugin), `: ${events.join(', ')}`)))],
  ]);
}

function page({pod, queue, attempts, notes}) {
  return [
    h('div.columns', {},
      h('section.panel', {}, h('h2', {}, 'Pod'), facts([
        ['Namespace', pod.namespace], ['Node', pod.node && nodeLink(pod.node)], ['Nominated to', pod.nominatedNode && nodeLink(pod.nominatedNode)],
        ['Priority', count(pod.priority)], ['Scheduler', pod.schedulerName], ['Uid', h('code', {}, pod.uid)]])),
      !pod.node && h('section.panel', {}, h('h2', {}, 'Queue'), place(queue))),
    h('section.panel', {}, h('h2', {}, 'Attempts'), attempts.length > 0 ? attempts.map(attempt) : h('p.empty', {}, 'None is remembered.'), notes.map((note) => h('p.soft', {}, note))),
  ].filter(Boolean);
}

export function show(main, {names: [ns, name]}) {
  const said = h('p.say', {}, 'Asking …');
  const help = h('section.panel', {'aria-label': 'What would help', hidden: true});
  const body = h('div.parts');
  main.append(h('div.head', {}, h('h1', {}, name), h('span.soft', {}, `pod in ${ns}`)), said, help, body);
  let text = '';
  let timer = 0;
  let hasLeft = false;
  let helped = {about: '', at: 0};  // When it was last found out what would help, after which attempt.

  async function lookForHelp({pod, queue, attempts}) {
    help.hidden = Boolean(pod.node) || ['none', 'permit', 'binding'].includes(queue.where);
    const about = JSON.stringify([attempts[0]?.message, queue.where === 'gated']);
    if (help.hidden || (about === helped.about && Date.now() - helped.at < kHelpPeriodMs)) return;
    helped = {about, at: Date.now()};
    if (help.childElementCount === 0) help.replaceChildren(h('h2', {}, 'What would help'), h('p.soft', {}, 'Trying changes on a copy of the cluster …'));
    try {
      const answer = await whatHelps(ns, name);
      if (!hasLeft) renew(help, h('h2', {}, 'What would help'), ...helpList(answer));
    } catch (error) {
      if (!hasLeft) help.replaceChildren(h('h2', {}, 'What would help'), h('p.soft', {}, error.status === 403 ? 'You may not ask what would help.' : error.message));
    }
  }

  async function look() {
    try {
      const answer = await ask(`explain/pods/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`);
      if (hasLeft) return;
      if (JSON.stringify(answer) !== text) {
        said.textContent = `The pod ${answer.summary}.`;
        said.classList.remove('error');
        renew(body, ...page(answer));
      }
      text = JSON.stringify(answer);
      lookForHelp(answer);
    } catch (error) {
      if (hasLeft) return;
      text = '';
      said.textContent = error.message;
      said.classList.add('error');
      help.hidden = true;
      body.replaceChildren();
    }
    if (live.state !== 'refused') timer = setTimeout(look, kPeriodMs);
  }
  look();
  return {
    leave() {
      hasLeft = true;
      clearTimeout(timer);
    },
  };
}
