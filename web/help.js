// SPDX-License-Identifier: Apache-2.0
// What would help a pod that waits: changes that were found and tried by Berth, on a copy of the cluster.

import {ask} from './api.js';
import {write} from './changes.js';
import {h, nodeLink, podLink} from './dom.js';
import {plural} from './format.js';

const kShown = 8;

const post = (body) => ({method: 'POST', body: JSON.stringify(body), headers: {'Content-Type': 'application/json'}});

/** The smallest changes under which the pod would be placed now. */
export const whatHelps = (namespace, name) => ask('counterfactuals', post({namespace, name}));

/** What would come of a question. */
export const whatIf = (question) => ask('what-if', post(question));

/** A change as What if has it in its address. */
export const helpChange = (pod, text, withAlike = false) => write(withAlike ? 'help-all' : 'help', [...pod.split('/'), text]);

export const tryLink = (changes) => `#/what-if?${changes.map((change) => `c=${encodeURIComponent(change)}`).join('&')}`;

// For a shell, in single quotes.
const quote = (text) => `'${text.replaceAll('\'', '\'\\\'\'')}'`;

// A patch of a pod, as one of the template that its owner makes pods of.
const inTemplate = (patch) => patch.map((one) => ({...one, path: `/spec/template${one.path}`}));

function patchCommand({kind, namespace, name, patch}, owner) {
  const [ownerKind, ownerName] = kind === 'Pod' && owner ? owner.split(' ') : [];
  if (ownerKind === 'ReplicaSet') {
    const deployment = ownerName.replace(/-[^-]+$/, '');
    return `kubectl -n ${namespace} patch deployment ${deployment} --type=json -p ${quote(JSON.stringify(inTemplate(patch)))}`;
  }
  if (ownerKind === 'StatefulSet' || ownerKind === 'DaemonSet') {
    return `kubectl -n ${namespace} patch ${ownerKind.toLowerCase()} ${ownerName} --type=json -p ${quote(JSON.stringify(inTemplate(patch)))}`;
  }
  const what = `${kind.toLowerCase()} ${name}`;
  return `kubectl -n ${namespace} get ${what} -o json | kubectl patch -f - --local --type=json -p ${quote(JSON.stringify(patch))} -o json | kubectl replace --force -f -`;
}

function nodeCommand(change) {
  const [kind, what] = Object.entries(change)[0];
  const names = (what.names ?? [what.name]).join(' ');
  if (kind === 'addNodes') return `berth node add ${what.count ?? 1} --like ${what.like}`;
  if (kind === 'uncordon') return `kubectl uncordon ${names}`;
  if (kind === 'delete') return `kubectl -n ${what.namespace} delete ${what.kind.toLowerCase()} ${what.name}`;
  if (kind === 'patch') return `kubectl patch ${what.kind.toLowerCase()} ${what.name} --type=merge -p ${quote(JSON.stringify(what.patch))}`;
  return `# ${JSON.stringify(change)}`;
}

/** Commands that make the change. */
export function commandsOf(change, owner) {
  const made = (change.objects ?? []).map((object) => `kubectl create -f - <<'END'\n${JSON.stringify(object)}\nEND`);
  if (change.change) made.push(nodeCommand(change.change));
  // What a template makes is changed with the template.
  const patches = (change.patches ?? []).map((patch) => patchCommand(patch, owner));
  return [...made, ...new Set(patches)].join('\n');
}

/** The changes as a list, each with a way to try it. */
export function helpList({pod, placedNow, message, nominatedNode, victims, changes}) {
  if (placedNow) return [h('p', {}, 'Nothing: it would be placed now.')];
  const made = [];
  if (nominatedNode) made.push(h('p', {}, 'Room is being made for it on ', nodeLink(nominatedNode), `: ${plural((victims ?? []).length, 'pod')} ${victims?.length === 1 ? 'is' : 'are'} evicted.`));
  if (changes.length === 0) return [...made, h('p', {}, 'No single change would place it: more than one thing is in its way. ', message)];
  const row = (change) => h('li', {},
    h('div.what', {}, h('strong', {}, change.text), h('span.soft.small', {}, ' it would go to ', nodeLink(change.node),
      change.victims?.length > 0 && [', in place of ', change.victims.flatMap((victim, i) => [i > 0 && ', ', podLink(...victim.split('/'))])])),
    h('a.button', {href: tryLink([helpChange(pod, change.text)]), 'aria-label': `Apply in a copy: ${change.text}`}, 'Apply in a copy'));
  made.push(h('p.soft.small', {}, `Any one of these would do. Each was tried; the smallest comes first.`), h('ol.helps', {}, changes.slice(0, kShown).map(row)));
  if (changes.length > kShown) made.push(h('details', {}, h('summary', {}, `${plural(changes.length - kShown, 'larger change')}`), h('ol.helps', {start: kShown + 1}, changes.slice(kShown).map(row))));
  return made;
}

const kReasons = 4;     // Whose pods are asked about.
const kPerReason = 3;   // Changes that are tried, of each.

/** What places most of the pods that wait: [{text, pods, left, change}], the most first. `tell(done, all)` hears how it goes on. */
export async function whatHelpsMost(reasons, tell) {
  const found = new Map();
  const asked = reasons.slice(0, kReasons);
  for (const [i, {examples}] of asked.entries()) {
    tell(i, asked.length * (1 + kPerReason));
    const [ns, name] = examples[0].split('/');
    const answer = await whatHelps(ns, name).catch((error) => { if (error.status === 404 || error.status === 400) return {changes: []}; throw error; });
    for (const change of answer.changes.slice(0, kPerReason)) {
      if (!found.has(change.text)) found.set(change.text, {text: change.text, size: change.size, pod: answer.pod, isOfPod: Boolean(change.patches)});
    }
  }
  const made = [];
  for (const one of found.values()) {
    tell(asked.length + made.length, asked.length + found.size);
    const [namespace, name] = one.pod.split('/');
    const answer = await whatIf({changes: [{help: {namespace, name, text: one.text, alike: true}}]}).catch(() => null);
    if (!answer) continue;
    made.push({...one, pods: answer.pods.filter((pod) => pod.wasPending && pod.outcome === 'placed').length, left: answer.stillPending, evicted: answer.evictions.length});
  }
  return made.filter((one) => one.pods > 0).sort((a, b) => b.pods - a.pods || a.size - b.size);
}
