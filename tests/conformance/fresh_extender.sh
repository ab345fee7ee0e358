#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares how Berth and upstream deal with extenders on scenarios that were never recorded.
#
#   ORACLE=path/to/oracle tests/conformance/fresh_extender.sh TOOL FIRST_SEED COUNT [FAMILY...]
#
# ORACLE is the program built from tests/oracle/extender, TOOL is berth-conformance. For every family, COUNT scenarios
# from FIRST_SEED on are made and run by upstream, once with ordinary and once with wide parameters, and compared.
#
# Vectors with differences are kept in the directory named by KEEP (default: fresh). The exit status is 0 if there are no
# differences.
set -eu

usage() {
  sed -n '3,11s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

[ $# -ge 3 ] && [ -n "${ORACLE:-}" ] || usage
tool=$1 first=$2 count=$3
shift 3
here=$(dirname "$0")
keep=${KEEP:-fresh}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- filter filternone filtererror prioritize prioritizeerror preempt preempterror bind managed nominated mixed

status=0
for family in "$@"; do
  for wide in '' -wide; do
    vectors=$work/extender-$family$wide-$first.jsonl
    # shellcheck disable=SC2086 # no argument where $wide is empty
    nice -n 10 "$ORACLE" gen $wide -seed "$first" "$family=$count" >"$vectors"
    if ! python3 "$here/compare.py" --tool "$tool" extender "$vectors"; then
      mkdir -p "$keep"
      cp "$vectors" "$keep"
      status=1
    fi
    rm "$vectors"
  done
done
exit $status
