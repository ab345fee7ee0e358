#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every include under src/ respects the layer order, and that third-party headers stay in their modules.

    layers.py [SRC]

A directory of src/ may include those before it in LAYERS, and itself. Test, fuzz and benchmark files obey the same
order. The checker first proves on planted violations that it can fail.
"""
import pathlib
import re
import sys
import tempfile

LAYERS = ["base", "api", "cel", "cluster", "framework", "queue", "plugins", "scheduler", "config", "record", "explain",
          "telemetry", "runtime", "net", "client", "server", "sim", "web", "berth", "app"]  # berth: the public API in include/

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


def violations(src):
    found = []
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        module = path.relative_to(src).parts[0]
        if module not in LAYERS:
            found.append(f"{path}: {module} is no layer")
            continue
        for own, foreign in INCLUDE.findall(path.read_text(encoding="utf-8")):
            problem = check_own(module, own) if own else check_foreign(module, foreign, is_beside(path))
            if problem:
                found.append(f"{path}: {problem}")
    return found


# Each line alone must be reported when it stands in the given file.
PLANTED = [
    ("base/a.h", '#include "api/pod.h"'),
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


def main():
    for name, line in PLANTED:
        if not finds(name, line):
            sys.exit(f"layers.py does not see {line} in {name}")
    for name, line in FINE:
        if finds(name, line):
            sys.exit(f"layers.py refuses {line} in {name}")
    src = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1] / "src")
    found = violations(src)
    for line in found:
        print(line)
    print(f"{len(found)} violations, {len(PLANTED)} planted ones found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
