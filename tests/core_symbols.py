#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the objects of the core reach no clock, thread, socket, file, environment or random device.

    core_symbols.py [--nm NM] [--cxx CXX] LIBRARY...

Reads the undefined symbols of the static libraries with nm and reports those that FORBIDDEN names. With --cxx it first
compiles planted violations and proves that each is found.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

# What the core must not reach, as demangled names. The C functions are matched whole, with glibc's spellings of them.
FORBIDDEN = {
    "clock": r"clock_gettime|clock_getres|clock|gettimeofday|time|times|localtime(_r)?|gmtime(_r)?|mktime|strftime|nanosleep"
             r"|clock_nanosleep|usleep|sleep|timer_\w+|timerfd_\w+|std::chrono::_V2::\w+::now\(.*|std::this_thread::.*",
    "thread": r"pthread_\w+|thrd_\w+|mtx_\w+|cnd_\w+|sem_\w+|fork|vfork|clone|syscall|std::thread::.*|std::mutex.*"
              r"|std::condition_variable.*|std::__future_base.*|std::__atomic_futex.*|std::__detail::_.*_wait.*|std::call_once.*",
    "socket": r"socket(pair)?|connect|bind|listen|accept4?|send(to|msg|mmsg)?|recv(from|msg|mmsg)?|getaddrinfo|gethost\w+"
              r"|select|pselect|poll|ppoll|epoll_\w+|io_uring_\w+|boost::asio::.*",
    "file": r"open(at)?|creat|close|p?read(v)?|p?write(v)?|lseek|mmap|fopen|fdopen|freopen|fclose|fread|fwrite|fgets|fgetc|getc"
            r"|getline|fputs?c?|putchar|puts|printf|fprintf|vprintf|vfprintf|perror|fflush|stdin|stdout|stderr|stat|fstat|lstat"
            r"|opendir|readdir|unlink|rename|mkdir|tmpfile|mkstemp|popen|system|dlopen|std::cout|std::cerr|std::cin|std::clog"
            r"|std::basic_(filebuf|[io]?fstream)<.*|std::filesystem::.*|std::ios_base::Init::.*|fmt::v9::v?print\(.*",
    "environment": r"(secure_)?getenv|setenv|putenv|unsetenv|environ|getpid|getuid|gethostname|uname|sysconf|setlocale"
                   r"|std::locale::global\(.*",
    "random": r"s?rand(_r)?|s?random(_r)?|[dejlmn]rand48(_r)?|getrandom|getentropy|arc4random\w*|std::random_device::.*",
}
PATTERNS = {kind: re.compile(r"(?:__(?:isoc99_|libc_)?)?(?:" + names + r")(?:64)?(?:_chk)?(?:@.*)?$")
            for kind, names in FORBIDDEN.items()}

# (object, symbol): why the core may reach it.
ALLOWED = {
    ("assert.cc.o", "fprintf"): "a failed assertion says which one before it aborts",
    ("assert.cc.o", "__fprintf_chk"): "the same with fortified libc",
    ("assert.cc.o", "fwrite"): "the same as the compiler writes it",
    ("assert.cc.o", "stderr"): "the same",
}


def symbols(nm, library):
    """Yields (object, demangled undefined symbol)."""
    text = subprocess.run([nm, "-C", "--undefined-only", library], check=True, capture_output=True, text=True).stdout
    current = os.path.basename(library)
    for line in text.splitlines():
        if line.endswith(":"):
            current = line[:-1]
        elif match := re.match(r"\s*[0-9a-f]*\s+[UwvVW]\s+(.*)", line):
            yield current, match.group(1)


def violations(nm, libraries):
    found = set()
    for library in libraries:
        for where, symbol in symbols(nm, library):
            for kind, pattern in PATTERNS.items():
                if pattern.match(symbol) and (where, symbol) not in ALLOWED:
                    found.add(f"{os.path.basename(library)}: {where} reaches a {kind}: {symbol}")
    return sorted(found)


PLANTED = [
    ("chrono", "long f() { return std::chrono::steady_clock::now().time_since_epoch().count(); }"),
    ("ctime", "long f() { return std::time(nullptr); }"),
    ("thread", "void f() { std::thread([] {}).join(); }"),
    ("mutex", "void f(std::mutex& m) { m.lock(); }"),
    ("sys/socket.h", "int f() { return socket(AF_INET, SOCK_STREAM, 0); }"),
    ("fstream", "void f() { std::ofstream(\"x\") << 1; }"),
    ("cstdio", "void f() { std::fopen(\"x\", \"r\"); }"),
    ("cstdio", "void f() { std::fputs(\"x\", stderr); }"),
    ("iostream", "void f() { std::cout << 1; }"),
    ("cstdlib", "char* f() { return std::getenv(\"HOME\"); }"),
    ("cstdlib", "int f() { return std::rand(); }"),
    ("random", "unsigned f() { return std::random_device()(); }"),
]


def prove_that_it_can_fail(cxx, nm):
    with tempfile.TemporaryDirectory() as directory:
        obj = os.path.join(directory, "planted.o")
        for header, code in PLANTED:
            source = f"#include <{header}>\n{code}\n"
            subprocess.run([cxx, "-std=c++20", "-O1", "-x", "c++", "-", "-c", "-o", obj], input=source, text=True,
                           check=True, stderr=subprocess.DEVNULL)
            if not violations(nm, [obj]):
                sys.exit(f"core_symbols.py does not see: {code}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--cxx", help="compiler for the planted violations")
    parser.add_argument("libraries", nargs="+")
    args = parser.parse_args()
    if args.cxx:
        prove_that_it_can_fail(args.cxx, args.nm)
    count = sum(1 for library in args.libraries for _ in symbols(args.nm, library))
    found = violations(args.nm, args.libraries)
    for line in found:
        print(line)
    print(f"{count} undefined symbols in {len(args.libraries)} libraries, {len(found)} violations")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
