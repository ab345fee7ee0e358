// SPDX-License-Identifier: Apache-2.0
// The changes that What if puts together: how they are said, asked, done, and written in its address.
//
// In the address each is words with slashes between: c=add/3/node-7, c=cordon/node-1,node-2,
// c=taint/pool=b/team=a:NoSchedule, c=run/5/2/4Gi, c=help/NAMESPACE/POD/TEXT. Nodes are names with commas between, or a
// label selector. A slash in a word is written %2F; in the last one it need not be.

import {plural} from './format.js';

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

function described(text) {
  try {
    const {kind, metadata} = JSON.parse(text);
    return `${kind} ${metadata?.name ?? ''}`;
  } catch {
    return 'a manifest';
  }
}

const nodesField = {name: 'nodes', label: 'Nodes', hint: 'node-1, node-2 or zone=east', list: true};
export const kKinds = {
  add: {
    title: 'Add nodes', fields: [{name: 'count', label: 'How many', type: 'number', value: '1'}, {name: 'like', label: 'Like', hint: 'node-1', list: true}],
    say: ([number, like]) => `Add ${plural(Number(number), 'node')} like ${like}`,
    change: ([number, like]) => ({addNodes: {count: Number(number), like}}),
    command: ([number, like]) => `berth node add ${number} --like ${like}`,
  },
  cordon: {title: 'Cordon nodes', fields: [nodesField], say: ([nodes]) => `Cordon ${nodes}`, change: ([nodes]) => ({cordon: choice(nodes)}), command: ([nodes]) => `kubectl cordon ${onNodes(nodes)}`},
  uncordon: {title: 'Uncordon nodes', fields: [nodesField], say: ([nodes]) => `Uncordon ${nodes}`, change: ([nodes]) => ({uncordon: choice(nodes)}), command: ([nodes]) => `kubectl uncordon ${onNodes(nodes)}`},
  remove: {title: 'Drain and remove nodes', fields: [nodesField], say: ([nodes]) => `Drain and remove ${nodes}`, change: ([nodes]) => ({removeNodes: choice(nodes)}), command: ([nodes]) => `kubectl drain ${onNodes(nodes)} --ignore-daemonsets && kubectl delete node ${onNodes(nodes)}`},
  taint: {
    title: 'Taint nodes', fields: [nodesField, {name: 'taint', label: 'Taint', hint: 'team=a:NoSchedule'}],
    say: ([nodes, taint]) => `Taint ${nodes} with ${taint}`,
    change: ([nodes, taint]) => ({taint: {...choice(nodes), taints: [taintOf(taint)]}}),
    command: ([nodes, taint]) => `kubectl taint nodes ${onNodes(nodes)} ${taint}`,
  },
  label: {
    title: 'Label nodes', fields: [nodesField, {name: 'label', label: 'Label', hint: 'disk=ssd'}],
    say: ([nodes, label]) => `Label ${nodes} with ${label}`,
    change: ([nodes, label]) => ({label: {...choice(nodes), labels: Object.fromEntries([label.split('=', 2)])}}),
    command: ([nodes, label]) => `kubectl label nodes ${onNodes(nodes)} --overwrite ${label}`,
  },
  untaint: {
    title: 'Take taints away', fields: [nodesField, {name: 'taint', label: 'Taint', hint: 'team=a:NoSchedule'}],
    say: ([nodes, taint]) => `Take the taint ${taint} from ${nodes}`,
    change: ([nodes, taint]) => ({untaint: {...choice(nodes), taints: [taintOf(taint)]}}),
    command: ([nodes, taint]) => `kubectl taint nodes ${onNodes(nodes)} ${taint}-`,
  },
  run: {
    title: 'Run pods', fields: [{name: 'count', label: 'How many', type: 'number', value: '1'}, {name: 'cpu', label: 'CPU of each', hint: '500m', value: '1'}, {name: 'memory', label: 'Memory of each', hint: '2Gi', value: '1Gi'}],
    say: ([number, cpu, memory]) => `Run ${plural(Number(number), 'pod')} that request cpu ${cpu} and memory ${memory}`,
    object: deployment,
    command: (words) => `kubectl apply -f - <<'END'\n${JSON.stringify(deployment(words))}\nEND`,
  },
  scale: {
    title: 'More of a workload', fields: [{name: 'count', label: 'How many more', type: 'number', value: '1'}, {name: 'pod', label: 'Like pod', hint: 'namespace/name'}],
    say: ([number, pod]) => `Run ${number} more like pod ${pod}`,
    change: ([number, pod]) => ({addPods: {count: Number(number), like: pod}}),
    command: ([number, pod]) => `kubectl -n ${pod.split('/')[0]} scale deployment NAME --replicas N   # ${number} more than now, of the owner of ${pod}`,
  },
  delete: {
    title: 'Delete a pod', fields: [{name: 'pod', label: 'Pod', hint: 'namespace/name'}],
    say: ([pod]) => `Delete pod ${pod}`,
    change: ([pod]) => ({delete: {kind: 'Pod', namespace: pod.split('/')[0], name: pod.split('/')[1] ?? ''}}),
    command: ([pod]) => `kubectl -n ${pod.split('/')[0]} delete pod ${pod.split('/')[1] ?? ''}`,
  },
  apply: {
    title: 'Apply a manifest', fields: [{name: 'manifest', label: 'Manifest', hint: 'JSON of a Deployment, a Pod, …', isLong: true}],
    say: ([text]) => `Apply ${described(text)}`,
    object: ([text]) => JSON.parse(text),
    check: ([text]) => { try { return JSON.parse(text).kind ? '' : 'The manifest has no kind.'; } catch (error) { return `The manifest is no JSON: ${error.message}`; } },
    command: ([text]) => `kubectl apply -f - <<'END'\n${text}\nEND`,
  },
  configure: {
    title: 'Another configuration', fields: [{name: 'text', label: 'Configuration', hint: 'YAML or JSON of a KubeSchedulerConfiguration', isLong: true}],
    say: () => 'Give the scheduler another configuration',
    change: ([text]) => ({configure: {text}}),
    command: ([text]) => `# the file of --config; taken up at once with --reload-config, else by a restart\n${text}`,
  },
  // These come from pages that know what would help; commands for them are asked for.
  help: {fields: [{}, {}, {}], say: ([ns, pod, text]) => `For pod ${ns}/${pod}: ${text}`, change: ([namespace, name, text]) => ({help: {namespace, name, text}})},
  'help-all': {fields: [{}, {}, {}], say: ([ns, pod, text]) => `For pod ${ns}/${pod} and those like it: ${text}`, change: ([namespace, name, text]) => ({help: {namespace, name, text, alike: true}})},
};

/** A change as it stands in the address. */
export const write = (kind, words) => [kind, ...words.map((word) => word.replaceAll('%', '%25').replaceAll('/', '%2F'))].join('/');
const read = (word) => word.replace(/%(2F|25)/gi, (_, code) => code === '25' ? '%' : '/');

/** A change that is written so; null if it is none. */
export function parse(text) {
  const [kind, ...words] = text.split('/');
  const number = kKinds[kind]?.fields.length ?? Infinity;
  return words.length >= number ? {kind, words: [...words.slice(0, number - 1), words.slice(number - 1).join('/')].map(read), text} : null;
}
