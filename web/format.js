// SPDX-License-Identifier: Apache-2.0
// Amounts with their units, and times in the viewer's zone.

const number = new Intl.NumberFormat(undefined, {maximumFractionDigits: 1});
const stamp = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'medium'});

export const count = (value) => number.format(value);
export const plural = (value, one, many = one + 's') => `${count(value)} ${value === 1 ? one : many}`;
export const percent = (part) => Number.isFinite(part) ? `${Math.round(part * 100)} %` : '–';

function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return `${number.format(value)} ${units[unit]}`;
}

/** An amount of a resource: cpu comes in thousandths of a core. */
export function amount(resource, value) {
  if (resource === 'cpu') return value !== 0 && Math.abs(value) < 1000 ? `${value} m` : plural(value / 1000, 'core');
  if (resource === 'memory' || resource.includes('storage') || resource.startsWith('hugepages-')) return bytes(value);
  return count(value);
}

/** "6.5 of 16 cores": what is used of what there is. */
export function share(resource, used, capacity) {
  const [part, whole] = [amount(resource, used), amount(resource, capacity)];
  const unit = whole.split(' ')[1];
  return unit && part.endsWith(` ${unit}`) ? `${part.split(' ')[0]} of ${whole}` : `${part} of ${whole}`;
}

export const resourceName = (resource) => resource.startsWith('devices/') ? `Devices of ${resource.slice(8)}` : ({cpu: 'CPU', memory: 'Memory', pods: 'Pods', 'ephemeral-storage': 'Local storage'})[resource] ?? resource;

/** "3 min": how long ago a time was, or how long it will be. */
export function age(time, now = Date.now()) {
  const seconds = Math.abs(now - new Date(time).getTime()) / 1000;
  if (seconds < 1) return 'less than 1 s';
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} days`;
}

/** "12 ms": a length of time in seconds. */
export function duration(seconds) {
  if (seconds < 1) return `${number.format(seconds * 1000)} ms`;
  if (seconds < 120) return `${number.format(seconds)} s`;
  return seconds < 7200 ? `${number.format(seconds / 60)} min` : `${number.format(seconds / 3600)} h`;
}

export const when = (time) => stamp.format(new Date(time));

/** A time as an element: how long ago, and in full on demand. */
export function ago(time) {
  const made = document.createElement('time');
  made.dateTime = time;
  made.title = when(time);
  tell(made);
  return made;
}

function tell(element) {
  const isLater = new Date(element.dateTime).getTime() > Date.now() + 1000;
  const text = isLater ? `in ${age(element.dateTime)}` : `${age(element.dateTime)} ago`;
  if (element.textContent !== text) element.textContent = text;
}

/** Times that stand on a page grow older. */
export function growOlder() {
  document.querySelectorAll('time').forEach(tell);
}

/** "NodeResourcesFit" as words, for those who do not know the plugins. */
export const words = (name) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
