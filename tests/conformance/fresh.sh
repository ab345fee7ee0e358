#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares Berth's decisions with upstream's on scenarios that were never recorded.
#
#   ORACLE=path/to/oracle tests/conformance/fresh.sh TOOL FIRST_SEED COUNT [FAMILY...]
#
# ORACLE is the program built from tests/oracle/decisions, TOOL is berth-conformance. For every family, COUNT scenarios from
# FIRST_SEED on are made and decided by upstream, once with ordinary and once with wide parameters, and compared.
# Scenarios with resource claims are left out, and so are those that the oracle itself cannot run: it plays the
# controllers that bind volumes, and on a busy machine upstream may time out waiting for them.
#
# Vectors with differences are kept in the directory named by KEEP (default: fresh). WORKERS (default 4) says how many
# scenarios the oracle runs at the same time. The exit status is 0 if there are no differences.
set -eu

usage() {
  sed -n '3,14s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

[ $# -ge 3 ] && [ -n "${ORACLE:-}" ] || usage
tool=$1 first=$2 count=$3
shift 3
here=$(dirname "$0")
keep=${KEEP:-fresh}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- resources taints nodeaffinity ports images spread interpod preemption mixed volumes config gates

# Fills in what upstream decides. One scenario that cannot be run spoils the whole output, so it is left out then.
decide() { # scenarios vectors
  cp "$1" "$work/left"
  for attempt in 1 2 3; do
    nice -n 10 "$ORACLE" run -workers "${WORKERS:-4}" <"$work/left" >"$2" 2>"$work/errors" && return
    sed -n 's/^\([a-z]*-[0-9]*\): .*/"name":"\1"/p' "$work/errors" >"$work/failed"
    grep -vFf "$work/failed" "$work/left" >"$work/rest" || true
    mv "$work/rest" "$work/left"
  done
  cat "$work/errors" >&2
  return 1
}

status=0
for family in "$@"; do
  for wide in '' -wide; do
    vectors=$work/$family$wide-$first.jsonl
    # shellcheck disable=SC2086 # no argument where $wide is empty
    "$ORACLE" gen -family "$family" -seed "$first" -n "$count" $wide 2>/dev/null |
      grep -vE '"kind":"(ResourceClaim|ResourceSlice|DeviceClass)"' >"$work/scenarios" || true
    [ -s "$work/scenarios" ] || continue
    decide "$work/scenarios" "$vectors"
    if ! python3 "$here/compare.py" --tool "$tool" decisions "$vectors"; then
      mkdir -p "$keep"
      cp "$vectors" "$keep"
      status=1
    fi
    rm "$vectors"
  done
done
exit $status
