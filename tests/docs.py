#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation shows the code that is compiled, that its links lead somewhere, and its length.

    docs.py [ROOT]

A fenced block of C++ or YAML in docs/plugin-guide.md or docs/up.md must stand, letter for letter, in a file below
examples/. A page in docs/ has fewer than 300 lines. The headline of docs/parity.md counts its tables.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```(?:cpp|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
LINES_MAX = 300


def foreign_blocks(text, sources):
    """The first lines of blocks that no source holds."""
    return [block.splitlines()[0] for block in BLOCK.findall(text) if not any(block in source for source in sources)]


def dead_links(page, text):
    return [target for target in LINK.findall(text) if not (page.parent / target).exists()]


def parity_headline(text):
    """What the headline has to say, given the tables."""
    states = {}
    for number, state in re.findall(r"^\| (\d+) \|[^|]*\| ([a-z ]+?) \|", text, re.MULTILINE):
        states.setdefault(int(number), []).append(state)
    for numbers in re.findall(r"^\| [A-Z][A-Za-z ]* \| ([\d–, ]+) \|", text, re.MULTILINE):
        for span in numbers.split(","):
            first, _, last = span.strip().partition("–")
            for number in range(int(first), int(last or first) + 1):
                states.setdefault(number, []).append("not yet")
    count = max(states, default=0)
    odd = [str(n) for n in range(1, count + 1) if len(states.get(n, [])) != 1]
    if odd:
        return f"lines that are missing or stand there twice: {', '.join(odd)}"
    total = {state: sum(each == [state] for each in states.values()) for state in ("yes", "partly", "differs", "not yet")}
    return (f"Of {count} capabilities {total['yes']} are there, {total['partly']} in part, {total['differs']} differ on purpose, "
            f"{total['not yet']} are not there yet.")


def problems(root):
    sources = [path.read_text(encoding="utf-8") for path in sorted((root / "examples").rglob("*"))
               if path.suffix in (".h", ".cc", ".yaml")]
    found = []
    for page in sorted([*root.glob("*.md"), *(root / "docs").glob("*.md")]):
        text = page.read_text(encoding="utf-8")
        found += [f"{page.name}: link to {target} leads nowhere" for target in dead_links(page, text)]
        if page.name in ("plugin-guide.md", "up.md"):
            found += [f"{page.name}: not in examples/: {line}" for line in foreign_blocks(text, sources)]
        if page.name == "parity.md":
            headline = parity_headline(text + (page.parent / "parity-policy.md").read_text(encoding="utf-8"))
            if headline not in text:
                found.append(f"{page.name}: the headline should say: {headline}")
        if page.parent.name == "docs" and text.count("\n") >= LINES_MAX:
            found.append(f"{page.name}: {text.count(chr(10))} lines, {LINES_MAX} are too many")
    return found


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    assert foreign_blocks("```cpp\nint a;\n```\n", ["int b;\n"]), "does not see a block that is not in the sources"
    assert not foreign_blocks("```cpp\nint a;\n```\n", ["int b;\nint a;\n"])
    assert dead_links(root / "README.md", "[x](docs/no-such-page.md)"), "does not see a dead link"
    table = "| 1 | a | yes | |\n| 2 | b | partly | |\n| Queue | 3–4, 5 | c |\n"
    assert parity_headline(table).startswith("Of 5 capabilities 1 are there, 1 in part, 0 differ on purpose, 3 are not")
    assert parity_headline(table + "| 2 | b | yes | |\n").endswith("twice: 2")
    found = problems(root)
    for line in found:
        print(line)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
