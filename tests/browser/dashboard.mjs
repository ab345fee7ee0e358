// SPDX-License-Identifier: Apache-2.0
// What dashboard.py has a browser do: node dashboard.mjs BERTH PACKAGES CHROMIUM URL GUARDED_URL TOKEN [SCREENSHOTS [LOOKS]]

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const [berth, packages, executablePath, url, guardedUrl, token, screenshots, looks] = process.argv.slice(2);
const require = createRequire(path.join(packages, 'package.json'));
const {chromium} = require('playwright-core');
const axe = readFileSync(path.join(packages, 'node_modules/axe-core/axe.min.js'), 'utf8');
const kPatienceMs = 20000;

async function api(method, where, body, type = 'application/json') {
  const answer = await fetch(url + where, {method, body: body && JSON.stringify(body), headers: {'Content-Type': type}});
  assert.ok(answer.ok, `${method} ${where}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
}

const podSpec = (requests, more = {}) => ({containers: [{name: 'main', image: 'main', resources: {requests, limits: requests}}], ...more});

async function deploy(name, replicas, requests, more) {
  const labels = {app: name};
  await api('POST', '/apis/apps/v1/namespaces/default/deployments', {metadata: {name}, spec: {replicas, selector: {matchLabels: labels}, template: {metadata: {labels}, spec: podSpec(requests, more)}}});
}

// What a page says in the console or asks of others fails the test in the end.
const complaints = [];
function listen(page, allowed = /^$/, own = url) {
  page.setDefaultTimeout(kPatienceMs);
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !allowed.test(message.text())) complaints.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => complaints.push(`page: ${error.stack}`));
  page.on('request', (request) => { if (!request.url().startsWith(own) && !request.url().startsWith(guardedUrl)) complaints.push(`request to ${request.url()}`); });
}

async function audit(page, what) {
  // The policy of the pages lets no script in, so it comes by the way of the debugger.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', {expression: axe});
  const found = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
  for (const {id, nodes} of found.violations) complaints.push(`axe on ${what}: ${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n').slice(0, 1500)}`);
}

const says = (page, text) => page.getByText(text).first().waitFor();

async function shoot(page, name) {
  if (!screenshots) return;
  for (const theme of ['light', 'dark']) {
    if (await page.evaluate(() => document.documentElement.dataset.theme) !== theme) await page.evaluate(() => document.getElementById('theme').click());
    await page.waitForTimeout(400);
    await page.screenshot({path: path.join(screenshots, `${name}-${theme}.png`)});
  }
  await page.evaluate(() => document.getElementById('theme').click());
}

async function checkCluster(page) {
  await page.goto(url + '/');
  assert.equal(new URL(page.url()).pathname, '/dashboard/');
  await says(page, 'Live');
  await page.locator('.tile', {hasText: 'Nodes'}).getByText('144', {exact: true}).waitFor();
  // What is done elsewhere shows here, without a reload.
  await deploy('web', 200, {cpu: '2', memory: '8Gi'});
  await deploy('cache', 150, {cpu: '500m', memory: '6Gi'});
  await deploy('batch', 40, {cpu: '4', memory: '20Gi'}, {nodeSelector: {'topology.kubernetes.io/zone': 'east'}});
  await page.locator('.tile', {hasText: 'Pods on nodes'}).getByText('390', {exact: true}).waitFor();
  await api('PATCH', '/api/v1/nodes/worker-2', {spec: {unschedulable: true}}, 'application/merge-patch+json');
  await api('PATCH', '/api/v1/nodes/small-6/status', {status: {conditions: [{type: 'Ready', status: 'False'}]}}, 'application/strategic-merge-patch+json');
  await says(page, /1 not ready, 1 cordoned/);
  await audit(page, 'the cluster');
  await page.locator('#theme').click();
  await audit(page, 'the dark cluster');
  await page.locator('#theme').click();
  await page.getByLabel('Colour by').selectOption('memory');
  await page.locator('.map canvas').hover({position: {x: 130, y: 165}});
  await page.locator('.card h3').waitFor();
  await shoot(page, 'cluster');
}

async function checkKeyboard(page) {
  // From the start of the page to a node, without a mouse.
  await page.goto(`${url}/dashboard/#/cluster?resource=memory`);
  await says(page, 'Live');
  await page.locator('.map canvas').waitFor();
  for (let i = 0; i < 30 && await page.evaluate(() => document.activeElement.tagName) !== 'CANVAS'; i += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await says(page, /^\S+: \d+ % of Memory requested, \d+ pods?/);
  await page.keyboard.press('ArrowDown');
  const name = await page.locator('.card h3').textContent();
  await page.keyboard.press('Enter');
  await page.locator('h1', {hasText: name}).waitFor();
  await says(page, 'What is left');
}

async function checkPending(page) {
  await deploy('train', 15, {cpu: '4', 'nvidia.com/gpu': '8'}, {tolerations: [{operator: 'Exists'}]});
  await api('POST', '/api/v1/namespaces/default/pods', {metadata: {name: 'huge'}, spec: podSpec({cpu: '48'})});
  await api('POST', '/api/v1/namespaces/default/pods', {metadata: {name: 'held'}, spec: podSpec({cpu: '1'}, {schedulingGates: [{name: 'example.com/quota'}]})});
  // From the pods that wait to the reason, to the pod, to what can be done.
  await page.getByRole('link', {name: 'Queue'}).click();
  await says(page, 'Insufficient nvidia.com/gpu');
  await says(page, 'Held back by Scheduling Gates');
  await page.getByRole('cell', {name: 'Unschedulable'}).first().waitFor();
  await audit(page, 'the queue');
  // Who stands on a link stays there when the list is made anew.
  const link = page.getByRole('rowheader', {name: 'default/huge'}).getByRole('link');
  await link.focus();
  await api('POST', '/api/v1/namespaces/default/pods', {metadata: {name: 'other'}, spec: podSpec({cpu: '1'}, {schedulingGates: [{name: 'example.com/quota'}]})});
  await page.getByRole('rowheader', {name: 'default/other'}).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'default/huge');
  await page.getByRole('link', {name: 'default/huge'}).first().click();
  await says(page, /The pod fits nowhere for .*NodeResourcesFit/);
  // What would help was tried by the scheduler.
  await page.getByText(/^lower the request of cpu from 48 to \d/).first().waitFor();
  await page.getByRole('cell', {name: 'Insufficient cpu', exact: true}).or(page.getByRole('rowheader', {name: 'Insufficient cpu', exact: true})).first().waitFor();
  await audit(page, 'a pod');
  await shoot(page, 'pod');
  await page.getByRole('link', {name: /^Apply in a copy: lower the request of cpu/}).first().click();
  await says(page, /^1 pod that waits now would be placed/);
  await says(page, /kubectl -n default get pod huge -o json \| kubectl patch/);
  await page.getByText(/^1 node would be other than now/).waitFor();
  assert.equal(await page.locator('.map canvas').count(), 2);
  await audit(page, 'help in a copy');
  await page.goBack();
  await says(page, /The pod fits nowhere/);
  // It finds a place as soon as there is one, and the page says so.
  await api('POST', '/api/v1/nodes', {metadata: {name: 'large'}, status: {capacity: {cpu: '64', memory: '256Gi', pods: '110'}, allocatable: {cpu: '64', memory: '256Gi', pods: '110'}}});
  await says(page, 'The pod is on node large.');
}

// The same two clicks lead from the queue to why and what to do, whatever the reason.
async function checkReasons(page) {
  await api('POST', '/api/v1/namespaces/default/pods', {metadata: {name: 'picky'}, spec: podSpec({cpu: '1'}, {nodeSelector: {disk: 'ssd'}})});
  for (const [name, why, help] of [['picky', /fits nowhere for NodeAffinity/, /^drop the node selector disk=ssd$/], ['held', /is held back by SchedulingGates/, /^remove the scheduling gate example.com\/quota$/]]) {
    await page.getByRole('link', {name: 'Queue'}).click();
    await page.getByRole('link', {name: `default/${name}`}).first().click();
    await page.locator('h1', {hasText: name}).waitFor();
    await says(page, why);
    await says(page, help);
  }
  // And to what helps most of them at once.
  await page.getByRole('link', {name: 'Queue'}).click();
  await page.getByRole('button', {name: 'Find out'}).click();
  await page.getByText(/places \d+ pods?, \d+ % of those that wait/).first().waitFor();
  await audit(page, 'what helps most');
  await page.mouse.move(0, 0);
  await page.evaluate(() => scrollTo(0, 0));
  await shoot(page, 'queue');
}

async function checkNode(page) {
  await page.getByRole('searchbox').fill('gpu-1');
  await page.getByRole('searchbox').press('Enter');
  await page.locator('h1', {hasText: 'gpu-1'}).waitFor();
  await says(page, 'nvidia.com/gpu:NoSchedule');
  await page.getByRole('link', {name: /^default\/train-/}).first().waitFor();
  await says(page, 'Largest pod that fits');
  await page.getByRole('row', {name: /Insufficient nvidia.com\/gpu/}).waitFor();
  await audit(page, 'a node');
  await shoot(page, 'node');
}

// Pods are found by their labels and owners, and with them the nodes where they are.
async function checkSearch(page) {
  await page.goto(`${url}/dashboard/#/cluster`);
  await page.getByRole('searchbox').fill('app=cache');
  await says(page, /^150 pods found/);
  await page.getByRole('link', {name: /^default\/cache-/}).first().waitFor();
  await page.getByRole('searchbox').fill('replicaset web-');
  await says(page, /^200 pods found/);
  await page.getByRole('searchbox').fill('');
  await says(page, 'What is left, by group');
}

async function checkWhatIf(page) {
  // What is composed is in the address, and what would come of it is told together with the commands.
  await page.getByRole('link', {name: 'What if', exact: true}).click();
  await page.getByLabel('How many').fill('2');
  await page.getByLabel('Like').fill('gpu-1');
  await page.getByLabel('Like').press('Enter');
  await says(page, /^2 pods that wait now would be placed/);
  await page.locator('select[name=kind]').selectOption('cordon');
  await page.locator('input[name=nodes]').fill('worker-1, worker-3');
  await page.getByRole('button', {name: 'Add', exact: true}).click();
  await says(page, 'kubectl cordon worker-1 worker-3');
  await page.locator('select[name=kind]').selectOption('apply');
  await page.locator('textarea').fill('no manifest');
  await page.getByRole('button', {name: 'Add', exact: true}).click();
  await says(page, /The manifest is no JSON/);
  await page.locator('select[name=kind]').selectOption('configure');
  await page.locator('textarea').fill('apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{plugins: {filter: {disabled: [{name: NodeAffinity}]}}}]');
  await page.getByRole('button', {name: 'Add', exact: true}).click();
  await says(page, /^3 pods that wait now would be placed/);
  await page.getByRole('button', {name: 'Take back: Give the scheduler another configuration'}).click();
  await page.locator('select[name=kind]').selectOption('scale');
  await page.locator('input[name=pod]').fill('default/held');
  await page.getByRole('button', {name: 'Add', exact: true}).click();
  await says(page, 'Run 1 more like pod default/held');
  await page.getByRole('button', {name: 'Take back: Run 1 more like pod default/held'}).click();
  await says(page, /^2 pods that wait now would be placed/);
  await audit(page, 'what if');
  await shoot(page, 'what-if');
  await page.reload();
  await says(page, 'Add 2 nodes like gpu-1');
  await page.getByRole('button', {name: 'Take back: Add 2 nodes like gpu-1'}).click();
  await says(page, /^0 pods that wait now would be placed/);
}

const kAddresses = ['cluster', 'queue', 'pods/default/picky', 'nodes/gpu-1', 'what-if?c=add/1/gpu-1'];

// From a telephone to a wall nothing stands out of the page.
async function checkWidths(browser) {
  for (const [name, width, height] of [['narrow', 360, 740], ['wide', 3840, 2160]]) {
    const page = await browser.newPage({viewport: {width, height}});
    listen(page);
    for (const address of kAddresses) {
      await page.goto(`${url}/dashboard/#/${address}`);
      await says(page, 'Live');
      await page.waitForTimeout(300);
      const taken = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(taken <= width, `${address} is ${taken} wide`);
      if (looks) await page.screenshot({path: path.join(looks, `${name}-${address.replace(/\W.*/, '')}.png`), fullPage: name === 'narrow'});
    }
    await page.close();
  }
}

async function checkHidden(browser) {
  const page = await browser.newPage();
  listen(page);
  await page.clock.install();
  await page.goto(`${url}/dashboard/`);
  await says(page, 'Live');
  const show = (isHidden) => page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/berth/v1/live'));
  await show(true);
  await page.clock.fastForward(61000);
  await ended;
  await says(page, 'Paused while out of sight');
  await show(false);
  await says(page, 'Live');
  await page.close();
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const {port} = server.address();
      server.close(() => resolve(port));
    });
  });
}

const startUp = (port, ...flags) => spawn(berth, ['up', '--quiet', '--port', port, '--kubeconfig', path.join(tmpdir(), `berth-${port}.kubeconfig`), ...flags], {stdio: 'inherit'});

const endUp = (up) => new Promise((resolve) => {
  up.on('exit', resolve);
  up.kill('SIGINT');
});

// Opens the dashboard of one that has just been started.
async function open(page, port) {
  for (let tries = 0; tries < 100 && !await page.goto(`http://127.0.0.1:${port}/`).catch(() => null); tries += 1) await page.waitForTimeout(50);
}

// Who knows nothing of a cluster finds out by clicks alone why a pod waits, what to do, and that it would do.
const kPending = [
  ['too_large.yaml', 'Insufficient cpu', 'default/report', 'lower the request of cpu from 6 to 4'],
  ['tainted.yaml', 'node(s) had untolerated taint(s)', 'default/batch', 'tolerate the taint team=a:NoSchedule'],
  ['apart.yaml', "node(s) didn't match pod anti-affinity rules", 'default/db-1', 'drop the pod anti-affinity term 1 (topology kubernetes.io/hostname)'],
];

async function checkNewcomer(browser) {
  for (const [file, why, pod, help] of kPending) {
    const port = await freePort();
    const up = startUp(port, '--import', path.join(path.dirname(fileURLToPath(import.meta.url)), 'pending', file));
    const page = await browser.newPage();
    listen(page, /ERR_CONNECTION_REFUSED/, `http://127.0.0.1:${port}`);
    try {
      await open(page, port);
      await page.locator('.tile', {hasText: 'Pods on nodes'}).getByText('1 waiting').click();
      await page.getByRole('heading', {name: 'Queue', exact: true}).waitFor();
      await says(page, why);
      await page.getByRole('link', {name: pod}).first().click();
      await says(page, /The pod fits nowhere for/);
      await page.getByRole('link', {name: `Apply in a copy: ${help}`}).click();
      await says(page, /^1 pod that waits now would be placed; 0 would wait/);
      await page.getByRole('heading', {name: 'To do it'}).waitFor();
      await page.locator('pre', {hasText: 'kubectl'}).waitFor();
    } finally {
      await page.close();
      await endUp(up);
    }
  }
}

async function checkRestart(browser) {
  const port = await freePort();
  let up = startUp(port, '--nodes', 3);
  const page = await browser.newPage();
  listen(page, /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/, `http://127.0.0.1:${port}`);
  try {
    await open(page, port);
    await page.locator('.tile', {hasText: 'Nodes'}).getByText('3', {exact: true}).waitFor();
    await endUp(up);
    await says(page, /Connection lost/);
    up = startUp(port, '--nodes', 5);
    await page.locator('.tile', {hasText: 'Nodes'}).getByText('5', {exact: true}).waitFor();
    await says(page, 'Live');
  } finally {
    await page.close();
    await endUp(up);
  }
}

async function checkToken(browser) {
  const page = await browser.newPage();
  listen(page, /Failed to load resource: .* 401/);
  assert.equal((await fetch(guardedUrl + '/berth/v1/live')).status, 401);
  await page.goto(guardedUrl + '/dashboard/#/queue');
  await page.getByRole('heading', {name: 'Sign in'}).waitFor();
  await audit(page, 'the sign-in');
  await page.getByLabel('Token').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await says(page, 'Live');
  await page.getByRole('heading', {name: 'Queue', exact: true}).waitFor();
  assert.ok(!page.url().includes(token));
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}]));
  assert.ok(!kept.includes(token), kept);
  await page.close();
}

const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']});
try {
  const page = await browser.newPage({viewport: {width: 1280, height: 860}, deviceScaleFactor: screenshots ? 1.25 : 1});
  listen(page);
  await checkCluster(page);
  await checkKeyboard(page);
  await checkPending(page);
  await checkReasons(page);
  await checkNode(page);
  await checkSearch(page);
  await checkWhatIf(page);
  await checkWidths(browser);
  await checkHidden(browser);
  await checkNewcomer(browser);
  await checkRestart(browser);
  await checkToken(browser);
} finally {
  await browser.close();
}
assert.deepEqual(complaints, [], complaints.join('\n'));
console.log('the dashboard is as it should be');
