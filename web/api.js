// SPDX-License-Identifier: Apache-2.0
// Questions to Berth. A token, where one is needed, is kept in this page's memory alone: it goes with the page.

const root = new URL('../berth/v1/', document.baseURI);
let token = '';
let onRefused = () => {};

export class Refused extends Error {}

/** Called when a token is needed, or the one that was given is not enough, with the server's words. */
export const whenRefused = (callback) => { onRefused = callback; };
export const setToken = (text) => { token = text; };

/** The answer to a question; fails with Refused, or with what the server says. */
export async function open(path, options = {}) {
  const headers = {...options.headers, ...(token && {Authorization: `Bearer ${token}`})};
  const answer = await fetch(new URL(path, root), {...options, headers, credentials: 'omit', cache: 'no-store'});
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  const message = said.message || `${answer.status} ${answer.statusText}`;
  // Who may follow but not ask one thing or another need not sign in again.
  const isStranger = answer.status === 401 || (answer.status === 403 && path === 'live');
  if (!isStranger) throw Object.assign(new Error(message), {status: answer.status});
  onRefused(answer.status === 401 && !token ? '' : message);
  throw new Refused(message);
}

const later = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** The same as JSON. Where too many ask at once, it asks again. */
export async function ask(path, options = {}) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await (await open(path, options)).json();
    } catch (error) {
      if (error.status !== 429 || tries === 5) throw error;
      await later(500 * tries * (1 + Math.random()));
    }
  }
}
