// SPDX-License-Identifier: Apache-2.0
// Elements from plain calls. Texts are texts: nothing that comes from a cluster is ever read as markup.

/** h('a.tag', {href: '#/queue'}, 'Queue'): an element with classes, attributes, listeners (on...) and children. */
export function h(what, attributes = {}, ...children) {
  const [name, ...classes] = what.split('.');
  const made = document.createElement(name || 'div');
  if (classes.length > 0) made.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

const signOf = (element) => `${element.tagName} ${element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.textContent}`;

/** Puts these children in place of others. Who stands on one of them, or has opened one, finds it so again. */
export function renew(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? signOf(document.activeElement) : null;
  const opened = new Set([...parent.querySelectorAll('details[open] > summary')].map(signOf));
  parent.replaceChildren(...children);
  for (const summary of parent.querySelectorAll('details > summary')) summary.parentElement.open = opened.has(signOf(summary));
  if (focused) [...parent.querySelectorAll('a, button, summary, [tabindex]')].find((one) => signOf(one) === focused)?.focus({preventScroll: true});
}

/** A bar of which a part is filled; `label` is for those who do not see it. */
export function gauge(part, label) {
  const bar = h('i');
  bar.style.setProperty('--part', Number.isFinite(part) ? part : 0);
  return h(part > 1 ? 'div.gauge.over' : 'div.gauge', label ? {role: 'img', 'aria-label': label} : {'aria-hidden': 'true'}, bar);
}

/** Rows of cells under titles; a title that ends with # stands over numbers. The first cell of a row names it. */
export function table(caption, titles, rows) {
  const isNumber = titles.map((title) => title.endsWith('#'));
  const head = titles.map((title, i) => h(isNumber[i] ? 'th.number' : 'th', {scope: 'col'}, title.replace(/#$/, '')));
  const body = rows.map((cells) => h('tr', {}, cells.map((cell, i) => {
    if (cell instanceof HTMLTableCellElement) return cell;
    return i === 0 ? h('th', {scope: 'row'}, cell) : h(isNumber[i] ? 'td.number' : 'td', {}, cell ?? '');
  })));
  const made = h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, head)), h('tbody', {}, body));
  return h('div.scroll', {tabindex: '0', role: 'region', 'aria-label': caption}, made);
}

/** Pairs of a name and what is to be said of it; without the empty ones. */
export function facts(pairs) {
  const said = pairs.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '');
  return h('dl.facts', {}, said.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

export const podLink = (ns, name) => h('a', {href: `#/pods/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`}, `${ns}/${name}`);
export const nodeLink = (name) => h('a', {href: `#/nodes/${encodeURIComponent(name)}`}, name);
