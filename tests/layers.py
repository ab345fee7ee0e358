#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every include under src/ respects the layer order, and that third-party headers stay in their modules.

    layers.py [SRC]             checks, and that docs/architecture.md shows the folders as they are
    layers.py --folders [SRC]   prints the folders as that page shows them

A directory of src/ may include those before it in LAYERS, and itself. Its sub-folders have an order too: they may not
include each other in a circle. Test, fuzz and benchmark files obey the order of LAYERS, but may use any folder of their
own. The checker first proves on planted violations that it can fail.
"""
import pathlib
import re
import sys
import tempfile

LAYERS = ["base", "api", "cel", "cluster", "framework", "queue", "plugins", "scheduler", "config", "record",
          "telemetry", "runtime", "net", "client", "server", "world", "explain", "sim", "web", "berth", "app"]  # berth: the public API in include/

# Third-party headers by the first word of their path, and the modules that may include them ("*": all).
# What is not listed here is not a dependency of Berth; add a line when it becomes one.
THIRD_PARTY = {
    "fmt": "*",
    "boost": "*",
    "gtest": "*",
    "gmock": "*",
    "benchmark": "*",
    "simdjson.h": {"api"},
    "yaml.h": {"api"},
    "CLI": {"app"},
    "zlib.h": {"app", "net", "server"},
    "protozero": {"api"},
    "openssl": {"net"},
    "nghttp2": {"net"},
    "re2": {"cel"},
}
# Parts of Boost that belong to one module.
BOOST_PARTS = {"asio": {"net"}, "beast": {"net"}}
POSIX = re.compile(r"(unistd|pthread|fcntl|signal|poll|netdb|pwd|termios|spawn|fnmatch)\.h|(sys|netinet|arpa)/\w+\.h")  # Outside the core only.
# Of Boost, the core uses only what neither waits nor talks.
CORE = set(LAYERS[:LAYERS.index("config")])
CORE_BOOST = {"unordered", "container", "algorithm", "intrusive"}
# Standard headers that the core does without (<chrono> has the calendar; core_symbols.py forbids its clocks). Tests, fuzz
# targets and benchmarks beside it may use them.
CORE_FORBIDDEN = {"thread", "mutex", "shared_mutex", "atomic", "condition_variable", "future", "stop_token",
                  "semaphore", "latch", "barrier", "random", "fstream", "filesystem", "iostream", "ctime"}
# But for these files: they count who holds a value, as std::shared_ptr does, or share names between threads, and decide
# nothing by it that shows.
COUNTS_HOLDERS = {("base/copy_on_write.h", "atomic"), ("api/document/json_tree.h", "atomic"),
                  ("api/document/member_name.h", "atomic")}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def is_beside(path):
    return re.search(r"_(test|bench|fuzz)\.cc$", path.name) is not None


def check_own(module, header):
    layer = header.split("/")[0]
    if layer not in LAYERS:
        return f'"{header}" does not begin with a layer'
    if LAYERS.index(layer) > LAYERS.index(module):
        return f"{module} may not use {layer}"
    return None


def check_foreign(module, header, beside):
    root = header.split("/")[0]
    if module in CORE and not beside and header in CORE_FORBIDDEN:
        return f"<{header}> has no place in the core"
    is_standard = "/" not in header and "." not in header
    if is_standard or (beside and header == "malloc.h"):
        return None
    if module not in CORE and POSIX.fullmatch(header):
        return None
    allowed = THIRD_PARTY.get(root)
    if allowed is None:
        return f"<{header}> is no known dependency"
    if allowed != "*" and module not in allowed:
        return f"<{header}> may only be used in {', '.join(sorted(allowed))}"
    if root == "boost":
        part = re.split(r"[/.]", header)[1]
        if module in CORE and part not in CORE_BOOST:
            return f"<{header}> has no place in the core"
        if module not in BOOST_PARTS.get(part, {module}):
            return f"<{header}> may only be used in {', '.join(sorted(BOOST_PARTS[part]))}"
    return None


def folder_uses(src):
    """For each folder the other folders of its layer that it includes, with a file that does."""
    uses = {}
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".h", ".cc") or is_beside(path) or path.name.startswith("test_"):
            continue
        folder = path.relative_to(src).parent
        for own, _ in INCLUDE.findall(path.read_text(encoding="utf-8")):
            used = pathlib.PurePath(own).parent
            if used.parts[:1] == folder.parts[:1] and used != folder:
                uses.setdefault(folder, {}).setdefault(used, path)
    return uses


def circles(src):
    """Folders that can be reached from themselves: each with a file that is a part of the way."""
    uses = folder_uses(src)

    def reached(start):
        seen, left = set(), [start]
        while left:
            for used in uses.get(left.pop(), {}):
                if used not in seen:
                    seen.add(used)
                    left.append(used)
        return seen

    reach = {folder: reached(folder) for folder in uses}
    return [f"{path}: {folder} and {used} use each other" for folder, used_by in uses.items()
            for used, path in used_by.items() if folder in reach.get(used, ())]


def folder_graph(src):
    """The folders of layers that have several, each after those that it uses; folders of plugins are left out: none uses
    another but `helpers`."""
    uses = folder_uses(src)
    folders = {path.relative_to(src).parent for path in src.rglob("*") if path.suffix in (".h", ".cc")}
    lines = []
    for layer in LAYERS:
        left = sorted(folder for folder in folders if folder.parts[0] == layer)
        if len(left) == 1 or layer == "plugins":
            continue
        while left:
            ready = [folder for folder in left if not set(uses.get(folder, ())) & set(left)]
            if not ready:
                return lines  # A circle: reported elsewhere.
            for folder in ready:
                names = sorted(str(used.relative_to(layer)).replace(".", "(root)") for used in uses.get(folder, ()))
                lines.append(f"{folder}{': ' + ', '.join(names) if names else ''}")
            left = [folder for folder in left if folder not in ready]
    return lines


def page_differs(src):
    page = src.parent / "docs" / "architecture.md"
    if not page.exists():
        return []
    shown = page.read_text(encoding="utf-8")
    return [] if "\n".join(folder_graph(src)) in shown else [f"{page}: the folders are not as layers.py --folders prints them"]


MODULE = re.compile(r"^berth_module\((\w+)(?: DEPS ([\w ]+?))?(?: LIBS [^)]*?)?(?: TEST_DEPS ([\w ]+))?\)", re.MULTILINE)


def wrong_links(src):
    """What CMakeLists.txt says of the modules: each links those that it includes, and none that it does not."""
    listing = src.parent / "CMakeLists.txt"
    if not listing.exists():
        return []
    links = {name: (deps.split(), test_deps.split()) for name, deps, test_deps in MODULE.findall(listing.read_text(encoding="utf-8"))}

    def closure(names):
        return set(names).union(*(closure(links[name][0]) for name in names))

    found = []
    for module, (deps, test_deps) in links.items():
        used, used_by_tests = set(), set()
        for path in (src / module).rglob("*"):
            if path.suffix in (".h", ".cc"):
                only_tests = is_beside(path) or path.name.startswith(("test_", "bench_"))
                layers = {own.split("/")[0] for own, _ in INCLUDE.findall(path.read_text(encoding="utf-8")) if own}
                (used_by_tests if only_tests else used).update(layers & links.keys() - {module})
        for name in used - closure(deps):
            found.append(f"{listing}: {module} includes {name} and does not link it")
        for name in used_by_tests - closure(deps + test_deps):
            found.append(f"{listing}: tests of {module} include {name} and do not link it")
        for name in set(deps) - used:
            found.append(f"{listing}: {module} links {name} and does not include it")
    return found


def violations(src):
    found = circles(src) + page_differs(src) + wrong_links(src)
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        module = path.relative_to(src).parts[0]
        if module not in LAYERS:
            found.append(f"{path}: {module} is no layer")
            continue
        for own, foreign in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if (str(path.relative_to(src)), foreign) in COUNTS_HOLDERS:
                continue
            problem = check_own(module, own) if own else check_foreign(module, foreign, is_beside(path))
            if problem:
                found.append(f"{path}: {problem}")
    return found


# Each line alone must be reported when it stands in the given file.
PLANTED = [
    ("base/a.h", '#include "api/objects/pod.h"'),
    ("plugins/x/a.cc", '#include "scheduler/scheduler.h"'),
    ("framework/a_test.cc", '#include "plugins/registry.h"'),
    ("api/a.h", '#include "../base/time.h"'),
    ("cluster/a.cc", "#include <yaml.h>"),
    ("config/a.cc", "#include <CLI/CLI.hpp>"),
    ("scheduler/a.cc", "#include <thread>"),
    ("scheduler/a.cc", "#include <unistd.h>"),
    ("scheduler/a.cc", "#include <boost/asio.hpp>"),
    ("client/a.cc", "#include <boost/asio/post.hpp>"),
    ("app/a.cc", "#include <boost/beast.hpp>"),
    ("app/a.cc", "#include <nlohmann/json.hpp>"),
    ("elsewhere/a.cc", "#include <vector>"),
]
FINE = [("app/a.cc", "#include <unistd.h>"), ("plugins/x/a.cc", '#include "framework/plugin.h"'), ("app/a.cc", "#include <CLI/CLI.hpp>"),
        ("net/a.cc", "#include <boost/asio.hpp>"), ("net/a.cc", "#include <boost/beast/http/basic_parser.hpp>"),
        ("api/a.cc", "#include <simdjson.h>"), ("base/a.cc", "#include <vector>"),
        ("cluster/a.h", "#include <boost/unordered/unordered_flat_map.hpp>")]


def finds(name, line):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, name)
        path.parent.mkdir(parents=True)
        path.write_text(line + "\n", encoding="utf-8")
        return violations(pathlib.Path(directory))


def finds_circle():
    with tempfile.TemporaryDirectory() as directory:
        src = pathlib.Path(directory)
        for folder, used in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
            (src / "server" / folder).mkdir(parents=True)
            (src / "server" / folder / "x.h").write_text(f'#include "server/{used}/x.h"\n', encoding="utf-8")
        return len(circles(src)) == 3


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--folders"]
    src = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[1] / "src").resolve()
    if "--folders" in sys.argv:
        print("\n".join(folder_graph(src)))
        return 0
    if not finds_circle():
        sys.exit("layers.py does not see a circle of folders")
    for name, line in PLANTED:
        if not finds(name, line):
            sys.exit(f"layers.py does not see {line} in {name}")
    for name, line in FINE:
        if finds(name, line):
            sys.exit(f"layers.py refuses {line} in {name}")
    found = violations(src)
    for line in found:
        print(line)
    print(f"{len(found)} violations, {len(PLANTED)} planted ones found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
