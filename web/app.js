// SPDX-License-Identifier: Apache-2.0
// The frame around the pages: which page an address shows, search, theme, and whether the connection stands.
//
// Addresses are behind the '#', so that they work under any path that a proxy puts in front:
//   #/cluster?group=LABEL&resource=NAME&q=WORDS   #/queue   #/pods/NAMESPACE/NAME   #/nodes/NAME   #/what-if?c=CHANGE

import {setToken, whenRefused} from './api.js';
import {h} from './dom.js';
import {growOlder} from './format.js';
import * as live from './live.js';
import * as cluster from './page_cluster.js';
import * as node from './page_node.js';
import * as pod from './page_pod.js';
import * as queue from './page_queue.js';
import * as whatIf from './page_what_if.js';

const kPages = [
  {pattern: /^cluster$/, page: cluster, title: () => 'Cluster'},
  {pattern: /^queue$/, page: queue, title: () => 'Queue'},
  {pattern: /^what-if$/, page: whatIf, title: () => 'What if'},
  {pattern: /^pods\/([^/]+)\/([^/]+)$/, page: pod, title: (ns, name) => `${ns}/${name}`},
  {pattern: /^nodes\/([^/]+)$/, page: node, title: (name) => name},
];

const main = document.getElementById('main');
const find = document.getElementById('find');
let shown = null;

function parse() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {path: path || 'cluster', query: new URLSearchParams(query)};
}

// Changes what stands behind the question mark, without a new entry in the history.
function go(changes) {
  const {path, query} = parse();
  for (const [key, value] of Object.entries(changes)) {
    query.delete(key);
    for (const one of [value].flat()) if (one !== '' || key !== 'q') query.append(key, one);
  }
  const text = query.toString();
  history.replaceState(null, '', `#/${path}${text ? '?' + text : ''}`);
}

function showPage() {
  const {path, query} = parse();
  if (path === 'main') return;
  const {pattern, page, title} = kPages.find((one) => one.pattern.test(path)) ?? kPages[0];
  const names = (pattern.exec(path) ?? []).slice(1).map(decodeURIComponent);
  shown?.leave();
  main.replaceChildren();
  document.title = `${title(...names)} · Berth`;
  for (const link of document.querySelectorAll('.bar nav a')) {
    const isHere = link.getAttribute('href') === `#/${path}`;
    isHere ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
  }
  find.value = query.get('q') ?? '';
  shown = page.show(main, {names, query, go});
  scrollTo(0, 0);
}

function showSignIn(message) {
  shown?.leave();
  shown = {leave() {}};
  document.title = 'Sign in · Berth';
  const input = h('input', {type: 'password', id: 'token', autocomplete: 'off', required: true, 'aria-describedby': 'token-note'});
  const form = h('form', {onsubmit: (event) => {
    event.preventDefault();
    setToken(input.value.trim());
    live.start();
    showPage();
  }}, h('label', {for: 'token'}, 'Token'), input, message && h('p.error', {role: 'alert'}, message), h('button.main', {type: 'submit'}, 'Sign in'));
  main.replaceChildren(h('section.panel.sign-in', {}, h('h1', {}, 'Sign in'),
    h('p.soft.small', {id: 'token-note'}, 'A token of the cluster that may read /berth/v1/, such as kubectl create token prints. It is kept in this page only, until you close or reload it.'), form));
  input.focus();
}

const kStatus = {begun: 'Connecting …', live: 'Live', lost: 'Connection lost, trying again …', refused: 'Not signed in', paused: 'Paused while out of sight'};
function showStatus() {
  const status = document.getElementById('status');
  status.dataset.state = live.state;
  status.textContent = kStatus[live.state];
}

// The theme is the system's until it is chosen here.
const wantsDark = matchMedia('(prefers-color-scheme: dark)');
let theme = localStorage.getItem('berth-theme') ?? '';
function showTheme() {
  const isDark = theme ? theme === 'dark' : wantsDark.matches;
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  const button = document.getElementById('theme');
  button.textContent = isDark ? 'Light' : 'Dark';
  button.setAttribute('aria-label', `Change to the ${isDark ? 'light' : 'dark'} theme`);
  document.dispatchEvent(new Event('themechange'));
}
wantsDark.addEventListener('change', showTheme);
document.getElementById('theme').addEventListener('click', () => {
  theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('berth-theme', theme);
  showTheme();
});

document.querySelector('.find').addEventListener('submit', (event) => {
  event.preventDefault();
  const words = find.value.trim();
  const named = /^([^\s/=]+)\/([^\s/=]+)$/.exec(words);
  if (named) location.hash = `#/pods/${named[1]}/${named[2]}`;
  else if ([...live.nodes.values()].some((one) => one.name === words)) location.hash = `#/nodes/${encodeURIComponent(words)}`;
  else if (!shown.find) location.hash = `#/cluster?q=${encodeURIComponent(words)}`;
});
find.addEventListener('input', () => shown.find?.(find.value));
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  event.preventDefault();
  find.focus();
});
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

whenRefused(showSignIn);
live.follow((change) => { if (change.state) showStatus(); });
addEventListener('hashchange', () => { if (live.state !== 'refused') showPage(); });
setInterval(growOlder, 1000);
showTheme();
showStatus();
showPage();
live.start();
