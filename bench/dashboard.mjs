// SPDX-License-Identifier: Apache-2.0
// What bench/dashboard.py has a browser do: node dashboard.mjs PACKAGES CHROMIUM URL NODES MINUTES. The last line is JSON.

import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const [packages, executablePath, url, nodeCount, minutes] = process.argv.slice(2);
const {chromium} = createRequire(path.join(packages, 'package.json'))('playwright-core');
const kPanMs = 15000;
const kLookMs = 2000;
// Tasks in which scripts run. Others may be inside: the outermost counts.
const kScripts = new Set(['FunctionCall', 'EvaluateScript', 'v8.compile', 'v8.compileModule', 'v8.evaluateModule', 'RunMicrotasks', 'FireAnimationFrame', 'EventDispatch', 'TimerFire', 'V8.GC_MC_BACKGROUND']);
const kCategories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'disabled-by-default-devtools.timeline.frame', 'devtools.timeline.frame', 'blink.user_timing', 'loading', 'v8.execute', 'v8', '__metadata'];

const later = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

async function traced(browser, page, work) {
  await browser.startTracing(page, {categories: kCategories});
  await work();
  return JSON.parse((await browser.stopTracing()).toString()).traceEvents;
}

// The thread on which scripts of the page run: the one with most of their time.
function mainThread(events) {
  const time = new Map();
  for (const one of events) if (one.name === 'FunctionCall' || one.name === 'FireAnimationFrame') time.set(`${one.pid}/${one.tid}`, (time.get(`${one.pid}/${one.tid}`) ?? 0) + (one.dur ?? 0));
  return [...time].sort(([, a], [, b]) => b - a)[0]?.[0];
}

// How long scripts ran in each frame, in ms. A frame is from one beginning to the next.
function scriptPerFrame(events) {
  const thread = mainThread(events);
  const own = events.filter((one) => `${one.pid}/${one.tid}` === thread).sort((a, b) => a.ts - b.ts);
  const begins = own.filter((one) => one.name === 'BeginMainThreadFrame').map((one) => one.ts);
  const frames = begins.map(() => 0);
  let [end, at] = [0, -1];
  for (const one of own) {
    if (!kScripts.has(one.name) || !one.dur || one.ts < end) continue;
    end = one.ts + one.dur;
    while (at + 1 < begins.length && begins[at + 1] <= one.ts) at += 1;
    if (at >= 0) frames[at] += one.dur / 1000;
  }
  return frames.sort((a, b) => a - b);
}

// Of the process that shows the page, without what it shares with others.
function memoryMb(browserPid) {
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer') || !isBelow(pid, browserPid)) return 0;
      const own = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      return ['Private_Clean', 'Private_Dirty'].reduce((sum, field) => sum + Number(new RegExp(`${field}:\\s+(\\d+)`).exec(own)?.[1] ?? 0), 0) / 1024;
    } catch {
      return 0;
    }
  });
  const most = Math.max(...found);
  if (most === 0) throw new Error('there is no process that shows the page');
  return most;
}

function isBelow(pid, ancestor) {
  for (let one = Number(pid); one > 1; one = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${one}/stat`, 'utf8'))[1])) if (one === ancestor) return true;
  return false;
}

// The map is hovered, scrolled and recoloured, as one who looks for something does.
async function pan(page) {
  const end = Date.now() + kPanMs;
  for (let turn = 0; Date.now() < end; turn += 1) {
    const part = (turn % 100) / 100;
    await page.mouse.move(80 + part * 1100, 300 + 250 * Math.sin(turn / 9));
    await page.mouse.wheel(0, turn % 40 < 20 ? 60 : -60);
    await later(16);
  }
}

const server = await chromium.launchServer({executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-precise-memory-info']});
const browser = await chromium.connect(server.wsEndpoint());
try {
  const page = await browser.newPage({viewport: {width: 1280, height: 860}});
  page.setDefaultTimeout(60000);
  const opening = await traced(browser, page, async () => {
    await page.goto(`${url}/dashboard/`);
    // The policy of the pages lets no text be run as a script, so what is waited for is an element.
    await page.locator('.tile', {hasText: 'Nodes'}).getByText(Number(nodeCount).toLocaleString('en'), {exact: true}).waitFor();
    await page.locator('.map canvas').waitFor();
    await later(500);
  });
  const mark = opening.find((one) => one.name === 'picture' && one.cat?.includes('blink.user_timing'));
  if (!mark) throw new Error('the page has not said when its picture was there');
  const start = opening.filter((one) => one.name === 'navigationStart' && one.ts <= mark.ts).at(-1);
  const panning = await traced(browser, page, () => pan(page));
  const frames = scriptPerFrame(panning);
  const at = (part) => frames[Math.min(frames.length - 1, Math.floor(frames.length * part))] ?? NaN;
  const seen = [];
  for (const end = Date.now() + Number(minutes) * 60000; Date.now() < end; await later(kLookMs)) seen.push(memoryMb(server.process().pid));
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize / 1048576);
  const third = Math.ceil(seen.length / 3);
  const mean = (some) => some.reduce((sum, one) => sum + one, 0) / Math.max(some.length, 1);
  console.log(JSON.stringify({
    pictureSeconds: (mark.ts - start.ts) / 1e6,
    scriptMs: {p50: at(0.5), p95: at(0.95), max: at(1), frames: frames.length},
    memoryMb: {most: Math.max(...seen), growth: mean(seen.slice(-third)) - mean(seen.slice(0, third)), heap},
  }));
} finally {
  await browser.close();
  await server.close();
}
