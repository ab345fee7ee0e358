#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the C++ sources are formatted as .clang-format says.

    format.py ROOT     `clang-format-19 -i FILE...` formats what it names. Skipped (exit code 77) where that is not installed.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDERS = ("bench", "examples", "include", "src", "tests")
TOOL = "clang-format-19"
SKIPPED = 77


def unformatted(root, files):
    """The files that the tool would change."""
    result = subprocess.run([TOOL, "--dry-run", "--Werror", *map(str, files)], cwd=root, capture_output=True, text=True)
    lines = [line.split(":")[0] for line in result.stderr.splitlines() if "error: code should be clang-formatted" in line]
    if result.returncode != 0 and not lines:
        raise RuntimeError(result.stderr)
    return sorted(set(lines))


def check_the_check(root):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(root / ".clang-format", folder)
        planted = pathlib.Path(folder) / "planted.cc"
        planted.write_text("int  main( ){return 0;}\n", encoding="utf-8")
        assert unformatted(folder, [planted]), "a planted violation was not found"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which(TOOL) is None:
        print(f"{TOOL} is not installed")
        return SKIPPED
    check_the_check(root)
    files = [file.relative_to(root) for folder in FOLDERS for end in ("*.h", "*.cc") for file in (root / folder).rglob(end)]
    found = unformatted(root, sorted(files))
    print("\n".join(f"not formatted: {file}" for file in found))
    print(f"{len(files)} files, {len(found)} not formatted")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
