# SPDX-License-Identifier: Apache-2.0
"""Results as pictures: bars for each workload and scheduler, on a logarithmic scale where they differ much."""
import html
import math
import re

import report

COLOURS = ("#9aa5b1", "#2463a6", "#c4681c", "#3d8b5f", "#8a4f9e")
BAR, GAP, LEFT, WIDTH, RIGHT = 14, 10, 400, 420, 130
NAMES = ("pods/s", "ms CPU/pod", "ms core/pod", "p50 ms", "p99 ms", "peak MiB", "spread %", "zone skew", "host skew")


def text(x, y, words, anchor="start", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{html.escape(words)}</text>'


def scale(values):
    """From a value to a length."""
    most, least = max(values), min(value for value in values if value > 0)
    if most / least < 20:
        return lambda value: value / most * WIDTH
    low = math.log10(least) - 0.3
    return lambda value: max(math.log10(value) - low, 0) / (math.log10(most) - low) * WIDTH if value > 0 else 0


def plot(name, everything):
    """One picture of one figure, or None if no run has it. A line through the end of a bar spans the runs."""
    found = {workload: {scheduler: one for scheduler, runs in results.items() if (one := report.values(runs, name))}
             for workload, results in everything.items()}
    found = {workload: results for workload, results in found.items() if results}
    flat = [value for results in found.values() for runs in results.values() for value in runs]
    if not flat or max(flat) <= 0:
        return None
    length, y, body = scale(flat), 50, []
    schedulers = sorted({scheduler for results in found.values() for scheduler in results})
    for index, scheduler in enumerate(schedulers):
        body += [f'<rect x="{LEFT + index * 150}" y="20" width="10" height="10" fill="{COLOURS[index % len(COLOURS)]}"/>',
                 text(LEFT + index * 150 + 15, 30, scheduler)]
    for workload, results in found.items():
        body.append(text(LEFT - 8, y + len(results) * BAR / 2 + 4, workload[-62:], "end", 11))
        for scheduler, runs in results.items():
            middle = report.median([{name: value} for value in runs], name)
            colour, low, high = COLOURS[schedulers.index(scheduler) % len(COLOURS)], length(min(runs)), length(max(runs))
            body += [f'<rect x="{LEFT}" y="{y}" width="{max(length(middle), 1):.1f}" height="{BAR - 2}" fill="{colour}"/>',
                     f'<line x1="{LEFT + low:.1f}" x2="{LEFT + high:.1f}" y1="{y + BAR / 2 - 1}" y2="{y + BAR / 2 - 1}" stroke="#222"/>',
                     text(LEFT + max(high, length(middle)) + 5, y + BAR - 4, f"{middle:.4g}", size=11)]
            y += BAR
        y += GAP
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{y}" font-family="sans-serif">',
                      '<rect width="100%" height="100%" fill="white"/>', text(8, 30, name, size=15), *body, "</svg>", ""])


def write(folder, everything):
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        if picture := plot(name, everything):
            (folder / (re.sub(r"\W+", "-", name).strip("-").lower() + ".svg")).write_text(picture)
