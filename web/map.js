// SPDX-License-Identifier: Apache-2.0
// The map: every node a cell, in groups, on one canvas.
//
// A cell is coloured by how much of a resource is requested and sized by how much there is. What a node is like is drawn
// as a pattern, so that it shows without colours too. The layout is made anew when nodes come or go or the width
// changes; otherwise cells are drawn over.

import {useOf} from './nodes.js';

const kGap = 3;
const kTitle = 26;
const kBetween = 18;
const kColumn = 340;  // Groups stand side by side where each has so much room.
const kAside = 28;
const kPulseMs = 900;
const kFlight = 0.55;  // Of that.
const kFarX = 40;      // How far a pod comes from.
const kFarY = 160;

let wasPainted = false;

const byName = new Intl.Collator(undefined, {numeric: true}).compare;

function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    ramp: [0, 1, 2, 3, 4].map((i) => colour(`--use-${i}`)), over: colour('--use-over'), ground: colour('--panel'),
    mark: colour('--mark'), line: colour('--line'), text: colour('--text'), soft: colour('--soft'), accent: colour('--accent'),
  };
}

function mix(a, b, part) {
  const read = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  const [from, to] = [read(a), read(b)];
  return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * part)).join(' ')})`;
}

function shades(colours) {
  const made = [];
  for (let i = 0; i <= 100; i += 1) {
    const at = i / 100 * (colours.ramp.length - 1);
    const from = Math.min(Math.floor(at), colours.ramp.length - 2);
    made.push(mix(colours.ramp[from], colours.ramp[from + 1], at - from));
  }
  return made;
}

/** Draws the signs of a state into a square. */
export function drawSigns(context, x, y, side, node, colour, ground) {
  context.save();
  context.beginPath();
  context.rect(x, y, side, side);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = side > 20 ? 2 : 1.25;
  context.beginPath();
  if (node.cordoned) {
    const step = Math.max(side / 3.5, 4);
    for (let at = step / 2; at < side * 2; at += step) {
      context.moveTo(x + at, y);
      context.lineTo(x + at - side, y + side);
    }
  }
  if (!node.ready) {
    const inset = side * 0.22;
    context.moveTo(x + inset, y + inset);
    context.lineTo(x + side - inset, y + side - inset);
    context.moveTo(x + side - inset, y + inset);
    context.lineTo(x + inset, y + side - inset);
  }
  context.stroke();
  if (node.taints.length > 0) {
    const corner = Math.max(Math.min(side * 0.38, 14), 5);
    context.beginPath();
    context.moveTo(x + side, y);
    context.lineTo(x + side - corner, y);
    context.lineTo(x + side, y + corner);
    context.closePath();
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = ground;
    context.lineWidth = 1;
    context.stroke();
  }
  context.restore();
}

export class NodeMap {
  /** `onFocus(node, box)` tells which cell is looked at, with null for none; `onOpen(node)` that it was chosen. */
  constructor(canvas, onFocus, onOpen) {
    this.canvas = canvas;
    this.onFocus = onFocus;
    this.onOpen = onOpen;
    this.groups = [];
    this.cells = [];
    this.bySlot = new Map();
    this.pulses = new Map();
    this.focused = null;
    this.isStill = matchMedia('(prefers-reduced-motion: reduce)');
    canvas.addEventListener('pointermove', (event) => this.focus(this.at(event)));
    canvas.addEventListener('pointerleave', () => this.focus(null));
    canvas.addEventListener('click', (event) => { const cell = this.at(event); if (cell) onOpen(cell.node); });
    canvas.addEventListener('keydown', (event) => this.onKey(event));
    canvas.addEventListener('focus', () => { if (!this.focused && this.cells.length > 0) this.focus(this.cells[0]); });
    canvas.addEventListener('blur', () => this.focus(null));
    this.sizes = new ResizeObserver(() => this.lay());
    this.sizes.observe(canvas.parentElement);
    this.recolour();
  }

  end() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
  }

  recolour() {
    this.colours = palette();
    this.shades = shades(this.colours);
    this.draw();
  }

  /** `groups`: [{name, note, nodes}]; `isFound(node)`: what is searched for, and `isMarked(node)` what is framed; null for nothing. */
  show(groups, resource, isFound, isMarked = null) {
    this.shown = {groups, resource, isFound, isMarked};
    this.lay();
  }

  /** These nodes have changed, but there are the same ones; `arrived` are numbers of nodes that got pods. */
  refresh(arrived) {
    if (!this.isStill.matches) for (const slot of arrived) this.pulses.set(slot, performance.now());
    if (this.focused) this.onFocus(this.focused.node, this.focused);
    this.draw();
  }

  lay() {
    if (!this.shown) return;
    const width = this.canvas.parentElement.clientWidth;
    const {groups, resource} = this.shown;
    const all = groups.flatMap((group) => group.nodes);
    const capacities = all.map((node) => node.capacity[resource] ?? 0).filter((value) => value > 0).sort((a, b) => a - b);
    const middle = capacities[capacities.length >> 1] ?? 1;
    const columns = Math.max(1, Math.min(groups.length, Math.floor(width / kColumn)));
    const wide = (width - (columns - 1) * kAside) / columns;
    const room = width * Math.max(innerHeight * 0.5, 280);
    const base = Math.max(9, Math.min(48, Math.floor(Math.sqrt(room / Math.max(all.length, 1)) - kGap)));
    const slot = this.focused?.node.slot;
    this.cells = [];
    this.groups = [];
    let y = 0;
    for (let first = 0; first < groups.length; first += columns) {
      const row = groups.slice(first, first + columns);
      const heights = row.map((group, i) => this.layGroup(group, i * (wide + kAside), y, wide, (node) => {
        const share = Math.sqrt((node.capacity[resource] ?? 0) / middle);
        return Math.round(base * Math.max(0.6, Math.min(1.6, share || 0.6)));
      }));
      y += Math.max(...heights) + kBetween;
    }
    this.bySlot = new Map(this.cells.map((cell) => [cell.node.slot, cell]));
    this.size(width, Math.max(y - kBetween, 40));
    this.focus(this.bySlot.get(slot) ?? null);
    this.draw();
  }

  // Returns how high it is.
  layGroup(group, left, top, width, sideOf) {
    this.groups.push({name: group.name, note: group.note, x: left, y: top, width});
    let [x, y, tallest] = [left, top + kTitle, 0];
    for (const node of [...group.nodes].sort((a, b) => byName(a.name, b.name))) {
      const side = sideOf(node);
      if (x + side > left + width && x > left) {
        x = left;
        y += tallest + kGap;
        tallest = 0;
      }
      this.cells.push({node, x: Math.round(x), y, side});
      x += side + kGap;
      tallest = Math.max(tallest, side);
    }
    return y + tallest - top;
  }

  size(width, height) {
    const ratio = Math.min(devicePixelRatio || 1, 3);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    this.context = this.canvas.getContext('2d');
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.height = height;
    this.width = width;
  }

  draw() {
    if (!this.frame && this.shown) this.frame = requestAnimationFrame((now) => this.paint(now));
  }

  paint(now) {
    this.frame = 0;
    const {context, colours} = this;
    const {resource, isFound, isMarked} = this.shown;
    context.clearRect(0, 0, this.width, this.height);
    context.textBaseline = 'middle';
    for (const group of this.groups) {
      context.font = '600 13px system-ui, sans-serif';
      context.fillStyle = colours.text;
      context.fillText(group.name, group.x, group.y + kTitle / 2 - 2, group.width);
      const begin = group.x + Math.min(context.measureText(group.name).width, group.width) + 10;
      context.font = '13px system-ui, sans-serif';
      context.fillStyle = colours.soft;
      if (begin < group.x + group.width) context.fillText(group.note, begin, group.y + kTitle / 2 - 2, group.x + group.width - begin);
    }
    for (const cell of this.cells) this.paintCell(cell, resource, isFound && !isFound(cell.node), now);
    this.paintFlights(now);
    context.strokeStyle = colours.mark;
    context.lineWidth = 2;
    if (isMarked) for (const {node, x, y, side} of this.cells) if (isMarked(node)) context.strokeRect(x - 1, y - 1, side + 2, side + 2);
    if (this.focused) {
      const {x, y, side} = this.focused;
      context.strokeStyle = colours.accent;
      context.lineWidth = 2;
      context.strokeRect(x - 1, y - 1, side + 2, side + 2);
    }
    if (this.pulses.size > 0) this.draw();
    if (!wasPainted && this.cells.length > 0) performance.mark('picture');  // For who measures.
    wasPainted = wasPainted || this.cells.length > 0;
  }

  paintCell({node, x, y, side}, resource, isFaded, now) {
    const {context, colours} = this;
    const use = useOf(node, resource);
    context.globalAlpha = isFaded ? 0.15 : 1;
    if (Number.isNaN(use)) {
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    } else {
      context.fillStyle = use > 1 ? colours.over : this.shades[Math.round(use * 100)];
      context.fillRect(x, y, side, side);
    }
    if (node.cordoned || !node.ready || node.taints.length > 0) {
      drawSigns(context, x, y, side, node, use > 0.55 ? colours.ground : colours.mark, colours.ground);
    }
    if (side >= 34 && !Number.isNaN(use) && !node.cordoned && node.ready) {
      context.fillStyle = use > 0.55 ? colours.ground : colours.mark;
      context.font = `${side >= 44 ? 12 : 11}px system-ui, sans-serif`;
      context.textAlign = 'center';
      context.fillText(`${Math.round(use * 100)}`, x + side / 2, y + side / 2 + 1);
      context.textAlign = 'start';
    }
    context.globalAlpha = 1;
  }

  // Pods come from above and land on their nodes; a ring shows where.
  paintFlights(now) {
    const {context, colours} = this;
    context.fillStyle = context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    for (const [slot, began] of this.pulses) {
      const cell = this.bySlot.get(slot);
      const part = Math.max(0, (now - began) / kPulseMs);
      if (part >= 1 || !cell) {
        this.pulses.delete(slot);
        continue;
      }
      const [x, y] = [cell.x + cell.side / 2, cell.y + cell.side / 2];
      if (part < kFlight) {
        const left = (1 - part / kFlight) ** 2;
        context.globalAlpha = 1 - left * 0.8;
        context.beginPath();
        context.arc(x + left * kFarX, y - left * Math.min(y, kFarY), 2.5, 0, 2 * Math.PI);
        context.fill();
      } else {
        const rest = (part - kFlight) / (1 - kFlight);
        context.globalAlpha = 1 - rest;
        const grown = rest * kGap * 2;
        context.strokeRect(cell.x - grown / 2, cell.y - grown / 2, cell.side + grown, cell.side + grown);
      }
    }
    context.globalAlpha = 1;
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return this.cells.find((cell) => x >= cell.x && x < cell.x + cell.side && y >= cell.y && y < cell.y + cell.side) ?? null;
  }

  focus(cell) {
    if (this.focused === cell) return;
    this.focused = cell;
    this.canvas.style.cursor = cell ? 'pointer' : '';
    this.onFocus(cell?.node ?? null, cell);
    this.draw();
  }

  onKey(event) {
    const at = this.cells.indexOf(this.focused);
    const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.cells.length - 1}[event.key];
    if (event.key === 'Enter' && this.focused) return this.onOpen(this.focused.node);
    if (event.key === 'Escape') return this.focus(null);
    const isVertical = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (next === undefined && !isVertical) return undefined;
    event.preventDefault();
    const cell = isVertical ? this.above(this.focused ?? this.cells[0], event.key === 'ArrowUp') : this.cells[next];
    if (!cell) return undefined;
    this.focus(cell);
    const box = this.canvas.getBoundingClientRect();
    if (box.top + cell.y < 80) scrollBy(0, box.top + cell.y - 80);
    if (box.top + cell.y + cell.side > innerHeight - 20) scrollBy(0, box.top + cell.y + cell.side - innerHeight + 20);
    return undefined;
  }

  // The nearest cell of the next row.
  above(cell, isUp) {
    const rows = this.cells.filter((other) => isUp ? other.y < cell.y : other.y > cell.y);
    if (rows.length === 0) return null;
    const y = isUp ? Math.max(...rows.map((other) => other.y)) : Math.min(...rows.map((other) => other.y));
    const row = rows.filter((other) => other.y === y);
    return row.reduce((best, other) => Math.abs(other.x - cell.x) < Math.abs(best.x - cell.x) ? other : best);
  }
}
