// SPDX-License-Identifier: Apache-2.0
// Lines over time, as SVG: from zero to the most that there was.

import {h} from './dom.js';
import {age, count} from './format.js';

const kWidth = 600;
const kHeight = 120;

function svg(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** `lines`: [{name, points: [[time, value]]}], the first with an area below it; a value of null is a gap. */
export function chart(title, lines, say = count, unit = '') {
  const all = lines.flatMap(({points}) => points).filter(([, value]) => value !== null);
  const most = Math.max(...all.map(([, value]) => value), 0);
  const [first, last] = [Math.min(...all.map(([time]) => time)), Math.max(...all.map(([time]) => time))];
  const place = ([time, value]) => `${((time - first) / Math.max(last - first, 1) * kWidth).toFixed(1)} ${(kHeight - 2 - value / (most || 1) * (kHeight - 8)).toFixed(1)}`;
  const latest = ({points}) => points.findLast(([, value]) => value !== null)?.[1];
  const told = lines.map((line) => [line.name, latest(line)]).filter(([, value]) => value !== undefined).map(([name, value]) => `${name ? `${name} ` : ''}${say(value)}${unit}`).join(', ');
  const note = told ? `${told} now; at most ${say(most)}${unit}${last > first ? `, over ${age(first, last)}` : ''}` : 'nothing yet';
  const picture = svg('svg', {class: 'chart', viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${note}`});
  lines.forEach(({points}, i) => {
    const known = points.filter(([, value]) => value !== null);
    if (known.length < 2) return;
    const line = known.map(place).join(' L ');
    if (i === 0) picture.append(svg('path', {class: 'area', d: `M ${line} L ${place([known.at(-1)[0], 0])} L ${place([known[0][0], 0])} Z`}));
    picture.append(svg('path', {class: `line-${i}`, d: `M ${line}`}));
  });
  const key = lines.length > 1 && h('p.legend', {'aria-hidden': 'true'}, lines.map(({name}, i) => h('span', {}, h(`i.stroke.line-${i}`), name)));
  return h('section.panel', {}, h('div.head', {}, h('h2', {}, title), h('p.soft.small', {}, note)), picture, key);
}
