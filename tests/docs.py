#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation shows the code that is compiled, that its links lead somewhere, and its length.

    docs.py [ROOT]

A fenced block of C++ or YAML in docs/plugin-guide.md or docs/up.md must stand, letter for letter, in a file below
examples/. A page in docs/ has fewer than 300 lines.
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


def problems(root):
    sources = [path.read_text(encoding="utf-8") for path in sorted((root / "examples").rglob("*"))
               if path.suffix in (".h", ".cc", ".yaml")]
    found = []
    for page in sorted([*root.glob("*.md"), *(root / "docs").glob("*.md")]):
        text = page.read_text(encoding="utf-8")
        found += [f"{page.name}: link to {target} leads nowhere" for target in dead_links(page, text)]
        if page.name in ("plugin-guide.md", "up.md"):
            found += [f"{page.name}: not in examples/: {line}" for line in foreign_blocks(text, sources)]
        if page.parent.name == "docs" and text.count("\n") >= LINES_MAX:
            found.append(f"{page.name}: {text.count(chr(10))} lines, {LINES_MAX} are too many")
    return found


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    assert foreign_blocks("```cpp\nint a;\n```\n", ["int b;\n"]), "does not see a block that is not in the sources"
    assert not foreign_blocks("```cpp\nint a;\n```\n", ["int b;\nint a;\n"])
    assert dead_links(root / "README.md", "[x](docs/no-such-page.md)"), "does not see a dead link"
    found = problems(root)
    for line in found:
        print(line)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
