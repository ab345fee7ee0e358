// SPDX-License-Identifier: Apache-2.0
// The cluster as it is now: a snapshot, then what changes, by server-sent events.
//
// They are read with fetch and not with EventSource, which cannot show a token other than in the address.

import {Refused, open} from './api.js';

export const nodes = new Map();  // By number.
export let queue = null;         // Counts, ages and reasons of the pods that wait; null: not known yet.
export let state = 'begun';      // 'begun', 'live', 'lost', 'refused', 'paused'
export const course = [];        // What was counted, by time: {time, waiting, attempts, figures}.
export let figures = null;       // Pods by how long they took, since the scheduler began; null: not known.

const kCourseMs = 10 * 60 * 1000;
const kHiddenMs = 60 * 1000;
const listeners = new Set();
let reading = null;

/** Calls back with {nodes: changed numbers, or null for all; queue: whether it changed; state}. Returns how to end it. */
export function follow(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(change) {
  for (const listener of [...listeners]) listener({nodes: [], queue: false, state: false, ...change});
}

function setState(next) {
  if (state === next) return;
  state = next;
  tell({state: true});
}

function note() {
  const now = Date.now();
  course.push({time: now, waiting: waiting(), attempts: queue.attempts, figures});
  while (course[0].time < now - kCourseMs) course.shift();
}

export function waiting() {
  return queue ? Object.values(queue.states).reduce((sum, one) => sum + one.pods, 0) : 0;
}

// What nodes are like comes once for all that are alike, and is kept once.
const noded = ({slot, name, used}, kind) => ({...kind, slot, name, used});

function apply(event, data) {
  if (event === 'snapshot') {
    nodes.clear();
    for (const node of data.nodes) nodes.set(node.slot, noded(node, data.kinds[node.kind]));
    ({queue, figures} = data);
    note();
    return tell({nodes: null, queue: true});
  }
  const changed = [];
  for (const slot of data.gone ?? []) {
    nodes.delete(slot);
    changed.push(slot);
  }
  for (const node of data.nodes ?? []) {
    if (node.kind) nodes.set(node.slot, noded(node, node.kind));
    else nodes.get(node.slot).used = node.used;
    changed.push(node.slot);
  }
  if (data.queue) {
    ({queue, figures} = data);
    note();
  }
  tell({nodes: changed, queue: Boolean(data.queue)});
}

// Pieces of text, as they arrive, become events.
function reader() {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split('\n');
      const event = lines.find((line) => line.startsWith('event: '));
      const data = lines.find((line) => line.startsWith('data: '));
      if (event && data) apply(event.slice(7), JSON.parse(data.slice(6)));
    }
  };
}

async function read(signal) {
  const answer = await open('live', {signal});
  setState('live');
  const feed = reader();
  const stream = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await stream.read(); !piece.done; piece = await stream.read()) feed(piece.value);
}

// A page that nobody sees for a while lets go of its connection: browsers have few of them for one server.
let hiding = 0;
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (!document.hidden && state === 'paused') start();
  if (!document.hidden || state === 'refused') return;
  hiding = setTimeout(() => {
    reading?.abort();
    setState('paused');
  }, kHiddenMs);
});

/** Begins to follow, and begins again whenever the connection is lost. */
export async function start() {
  reading?.abort();
  const mine = reading = new AbortController();
  for (let waitMs = 500; !mine.signal.aborted; waitMs = Math.min(waitMs * 2, 10000)) {
    const began = Date.now();
    try {
      await read(mine.signal);
    } catch (error) {
      if (mine.signal.aborted) return;
      if (error instanceof Refused) return setState('refused');
    }
    setState('lost');
    if (Date.now() - began > 5000) waitMs = 500;
    await new Promise((resolve) => { setTimeout(resolve, waitMs * (1 + Math.random())); });
  }
}
