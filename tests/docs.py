#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation shows the code that is compiled, that its links lead somewhere, its length, and that
the tests are there which it names, and that changes touch the files which the guide to plugins says.

    docs.py [ROOT]

A fenced block of C++, YAML or CMake in docs/plugin-guide.md, up.md or behaviour.md must stand, letter for letter, in a file below
examples/. A page in docs/ has fewer than 300 lines. The headline of docs/parity.md counts its tables. Each row of
docs/limits.md ends with its tests: `Suite.Name`, `Suite.*`, the name of a ctest, or a file, if need be with a function of it.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```(?:cpp|yaml|cmake)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
LINES_MAX = 300
UNIT_TEST = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
PROGRAM_TEST = re.compile(r"(?:berth_script_test\(|add_test\(NAME )([\w-]+)")
NAMED_TEST = re.compile(r"`([^`]+)`(?: (\w+))?")
# Files that may use what others have added: tests, plugins, whoever asks for effects, the server, legacy policies.
USER = re.compile(r".*_(test|bench|fuzz)\.cc|.*/test_\w+\.h|plugins/(?!registry)|(server|scheduler)/|config/policy/")
ROW_ABOVE = ("the same", "as above")


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


def known_tests(root):
    """What the name of a test can be, with the text of the file if it is one."""
    known = dict.fromkeys(PROGRAM_TEST.findall((root / "tests/CMakeLists.txt").read_text(encoding="utf-8")), "")
    for path in [*(root / "src").rglob("*_test.cc"), *(root / "tests").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        folders = path.relative_to(root).parts
        known |= {"/".join(folders[begin:]): text for begin in range(len(folders))}
        for suite, name in UNIT_TEST.findall(text):
            known |= {suite: "", f"{suite}.*": "", f"{suite}.{name}": ""}
    return known


def missing_tests(text, known):
    """For each row of a table, what its last column names and is not there."""
    for line in text.splitlines():
        if not line.startswith("| ") or line.startswith("| what |"):
            continue
        cell = line.rsplit("|", 2)[1].strip()
        named = NAMED_TEST.findall(cell)
        if not named and cell not in ROW_ABOVE:
            yield f"no test at {line[:60]}"
        yield from (f"no test {name} {part}" for name, part in named
                    if name not in known or part and f"def {part}(" not in known[name])


def sources_of(root):
    """The text of each source by its path, and of the lists that tests compare with."""
    paths = [path for path in (root / "src").rglob("*") if path.suffix in (".h", ".cc")]
    texts = {path.relative_to(root / "src").as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return texts | {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.glob("tests/*/*.txt")}


def wrong_touches(text, texts):
    """Rows of `| to add | files | `example` | which |` whose files are not those that know the example."""
    for count, word, which in re.findall(r"^\| an? [^|]+ \| (\d+) \| `(\w+)` \| (.*) \|$", text, re.MULTILINE):
        listed = re.findall(r"`([\w/.]+)`", which)
        folders = {path.rsplit("/", 1)[0] for path in listed if path.count("/") > 1}
        known = {path for path, source in texts.items() if re.search(rf"{word}(?![A-Za-z])", source) and not USER.match(path)}
        if int(count) != len(listed):
            yield f"{word}: {count} files, and {len(listed)} are listed"
        yield from (f"{word}: nothing of it in {path}" for path in listed if word not in texts.get(path, ""))
        yield from (f"{word}: {path} is not listed" for path in sorted(known - set(listed)) if path.rsplit("/", 1)[0] not in folders)


def problems(root):
    sources = [path.read_text(encoding="utf-8") for path in sorted((root / "examples").rglob("*"))
               if path.suffix in (".h", ".cc", ".yaml", ".txt")]
    found = []
    for page in sorted([*root.glob("*.md"), *(root / "docs").glob("*.md")]):
        text = page.read_text(encoding="utf-8")
        found += [f"{page.name}: link to {target} leads nowhere" for target in dead_links(page, text)]
        if page.name in ("behaviour.md", "plugin-guide.md", "up.md"):
            found += [f"{page.name}: not in examples/: {line}" for line in foreign_blocks(text, sources)]
        if page.name == "plugin-guide.md":
            found += [f"{page.name}: {what}" for what in wrong_touches(text, sources_of(root))]
        if page.name == "parity.md":
            headline = parity_headline("".join(part.read_text(encoding="utf-8") for part in page.parent.glob("parity*.md")))
            if headline not in text:
                found.append(f"{page.name}: the headline should say: {headline}")
        if page.name == "limits.md":
            found += [f"{page.name}: {what}" for what in missing_tests(text, known_tests(root))]
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
    known = {"A.B": "", "a.py": "def f():\n"}
    assert len(list(missing_tests("| x | 1 | y | |\n| x | 1 | y | `A.C` |\n| x | 1 | y | `a.py` g |\n", known))) == 3, "does not see tests that are not there"
    assert not list(missing_tests("| what | bound | beyond it | test |\n|---|\n| x | 1 | y | `A.B`, `a.py` f |\n| x | 2 | y | the same |\n", known))
    row = "| a kind | 2 | `Word` | `a/b.h`, `c/d.cc` |\n"
    assert not list(wrong_touches(row, {"a/b.h": "Word", "c/d.cc": "Word", "e.h": "Words", "server/f.cc": "Word"}))
    assert len(list(wrong_touches(row, {"a/b.h": "Word", "c/d.cc": "", "g.h": "Word"}))) == 2, "does not see other files"
    found = problems(root)
    for line in found:
        print(line)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
