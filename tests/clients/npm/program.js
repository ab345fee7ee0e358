// SPDX-License-Identifier: Apache-2.0
// Does with an API server what programs written with the npm package @kubernetes/client-node do.
//
//   node program.js KUBECONFIG
import assert from 'node:assert/strict';
import {
  AppsV1Api, CoreV1Api, KubeConfig, PatchStrategy, VersionApi, Watch, makeInformer, setHeaderOptions,
} from '@kubernetes/client-node';

const namespace = 'npm';
const patienceMs = 60_000;

const config = new KubeConfig();
config.loadFromFile(process.argv[2]);
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);

const podSpec = {
  containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10', resources: { requests: { cpu: '10m' } } }],
};
const pod = (name) => ({ metadata: { name, labels: { app: 'npm' } }, spec: podSpec });
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

async function refused(code, promise) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.code, code, String(error));
    return true;
  });
}

async function waitUntil(what, condition) {
  const end = Date.now() + patienceMs;
  while (!await condition()) {
    assert.ok(Date.now() < end, `not within ${patienceMs} ms: ${what}`);
    await sleep(50);
  }
}

async function version() {
  const { major, gitVersion } = await config.makeApiClient(VersionApi).getCode();
  assert.equal(major, '1');
  assert.match(gitVersion, /^v1\./);
}

async function createAndWatch() {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  const { metadata } = await core.listNamespacedPod({ namespace });
  const running = new Set();
  const added = new Set();
  const request = await new Watch(config).watch(
    `/api/v1/namespaces/${namespace}/pods`,
    { resourceVersion: metadata.resourceVersion },
    (type, object) => {
      if (type === 'ADDED') added.add(object.metadata.name);
      if (object.status?.phase === 'Running') running.add(object.metadata.name);
    },
    () => {},
  );
  for (let index = 0; index < 5; ++index) {
    const made = await core.createNamespacedPod({ namespace, body: pod(`pod-${index}`) });
    assert.equal(made.spec.restartPolicy, 'Always');
  }
  await refused(409, core.createNamespacedPod({ namespace, body: pod('pod-0') }));
  await refused(422, core.createNamespacedPod({ namespace, body: pod('Bad_Name') }));
  await refused(404, core.readNamespacedPod({ namespace, name: 'none' }));
  await waitUntil('five pods run', () => running.size === 5);
  assert.equal(added.size, 5);
  request.abort();
}

async function informer() {
  const list = () => core.listNamespacedPod({ namespace });
  const pods = makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, list);
  const errors = [];
  pods.on('error', (error) => errors.push(error));
  await pods.start();
  await waitUntil('the informer knows all pods', () => pods.list().length === 5);
  assert.deepEqual(errors, []);
  await pods.stop();
}

async function lists() {
  const first = await core.listNamespacedPod({ namespace, labelSelector: 'app=npm', limit: 3 });
  assert.equal(first.items.length, 3);
  const rest = await core.listNamespacedPod({ namespace, labelSelector: 'app=npm', _continue: first.metadata._continue });
  const names = [...first.items, ...rest.items].map((item) => item.metadata.name);
  assert.deepEqual(names, ['pod-0', 'pod-1', 'pod-2', 'pod-3', 'pod-4']);
  const nodes = (await core.listNode()).items;
  assert.ok(nodes.every((node) => node.status.conditions.some((c) => c.type === 'Ready' && c.status === 'True')));
}

async function patches() {
  const patch = (body, strategy) => core.patchNamespacedPod(
    { namespace, name: 'pod-0', body },
    setHeaderOptions('Content-Type', strategy),
  );
  await patch({ metadata: { labels: { strategic: 'yes' } } }, PatchStrategy.StrategicMergePatch);
  await patch([{ op: 'add', path: '/metadata/labels/json', value: 'yes' }], PatchStrategy.JsonPatch);
  await patch({ metadata: { labels: { app: null } } }, PatchStrategy.MergePatch);
  const found = await core.readNamespacedPod({ namespace, name: 'pod-0' });
  const { strategic, json, app } = found.metadata.labels;
  assert.deepEqual({ strategic, json, app }, { strategic: 'yes', json: 'yes', app: undefined });
  const other = await core.readNamespacedPod({ namespace, name: 'pod-1' });
  other.metadata.annotations = { replaced: 'yes' };
  const replaced = await core.replaceNamespacedPod({ namespace, name: 'pod-1', body: other });
  assert.equal(replaced.metadata.annotations.replaced, 'yes');
  await refused(409, core.replaceNamespacedPod({ namespace, name: 'pod-1', body: other }));
}

async function deployments() {
  const labels = { app: 'web' };
  const body = {
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  };
  await apps.createNamespacedDeployment({ namespace, body });
  await waitUntil('three replicas', async () => {
    const { status } = await apps.readNamespacedDeploymentStatus({ namespace, name: 'web' });
    return status.availableReplicas === 3;
  });
}

async function deletions() {
  await core.deleteNamespacedPod({ namespace, name: 'pod-2', gracePeriodSeconds: 0 });
  await refused(404, core.readNamespacedPod({ namespace, name: 'pod-2' }));
  await core.deleteNamespace({ name: namespace });
  await waitUntil('the namespace is gone', async () => {
    const { items } = await core.listNamespace();
    return items.every((item) => item.metadata.name !== namespace);
  });
}

for (const step of [version, createAndWatch, informer, lists, patches, deployments, deletions]) {
  await step();
}
console.log('all as it should be');
process.exit(0);
