// SPDX-License-Identifier: Apache-2.0
// Percentiles of what happened between two looks at a histogram whose counts only grow.

/** What was counted from one look to a later one; null if nothing is known of it. */
function between(before, after) {
  if (!after || after.counts.length === 0) return null;
  const counts = after.counts.map((count, i) => Math.max(0, count - (before?.counts[i] ?? 0)));
  return {bounds: after.bounds, counts, total: counts.reduce((sum, count) => sum + count, 0)};
}

/** The length below which that part of all lies, between the bounds of its bucket in proportion. */
function percentile({bounds, counts, total}, part) {
  let left = total * part;
  for (let i = 0; i < counts.length; i += 1) {
    if (counts[i] > 0 && left <= counts[i]) {
      const [from, to] = [i > 0 ? bounds[i - 1] : 0, bounds[i] ?? bounds.at(-1)];
      return from + (to - from) * left / counts[i];
    }
    left -= counts[i];
  }
  return bounds.at(-1);
}

/** [{time, rate, values}] over windows of so many ms: how many came per second, and percentiles of their lengths in seconds. */
export function overTime(course, name, parts, windowMs = 5000) {
  const made = [];
  let first = course[0];
  for (const one of course) {
    if (one.time - first.time < windowMs) continue;
    const came = between(first.figures?.[name], one.figures?.[name]);
    const seconds = (one.time - first.time) / 1000;
    if (came) made.push({time: one.time, rate: came.total / seconds, values: parts.map((part) => came.total > 0 ? percentile(came, part) : null)});
    first = one;
  }
  return made;
}
