#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares Berth with upstream on scenarios that were never recorded.
#
#   ORACLE=path/to/oracle [KIND=decisions|extender] tests/conformance/fresh.sh TOOL FIRST_SEED COUNT [FAMILY...]
#
# ORACLE is the program built from tests/oracle/KIND (default: decisions), TOOL is berth-conformance. For every family,
# COUNT scenarios from FIRST_SEED on are made and run by upstream, once with ordinary and once with wide parameters, and
# compared, but for those that the oracle itself cannot run: it plays the controllers that bind volumes, and on a busy
# machine upstream may time out waiting for them. Upstream's answers vary between runs in some of dra-gates and gang-claims.
#
# Vectors with differences are kept in the directory named by KEEP (default: fresh). WORKERS (default 4) says how many
# decisions the oracle makes at the same time. The exit status is 0 if there are no differences.
set -eu

usage() {
  sed -n '3,13s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

[ $# -ge 3 ] && [ -n "${ORACLE:-}" ] || usage
tool=$1 first=$2 count=$3
shift 3
here=$(dirname "$0")
keep=${KEEP:-fresh}
kind=${KIND:-decisions}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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

# Makes the vectors of a family; no vectors if it has no scenarios. $2 is empty or -wide.
# shellcheck disable=SC2086 # no argument where $2 is empty
case $kind in
decisions)
  [ $# -gt 0 ] || set -- resources taints nodeaffinity ports images spread interpod preemption mixed volumes config gates \
    dra dra-wide dra-gates gang gang-wide gang-topology gang-composite gang-policy gang-claims resize
  make_vectors() { # family wide vectors
    "$ORACLE" gen -family "$1" -seed "$first" -n "$count" $2 >"$work/scenarios" 2>/dev/null || true
    if [ -s "$work/scenarios" ]; then decide "$work/scenarios" "$3"; fi
  }
  ;;
extender)
  [ $# -gt 0 ] || set -- filter filternone filtererror prioritize prioritizeerror preempt preempterror bind managed nominated mixed
  make_vectors() { # family wide vectors
    nice -n 10 "$ORACLE" gen $2 -seed "$first" "$1=$count" >"$3"
  }
  ;;
*) usage ;;
esac

status=0
for family in "$@"; do
  for wide in '' -wide; do
    vectors=$work/$kind-$family$wide-$first.jsonl
    make_vectors "$family" "$wide" "$vectors"
    [ -f "$vectors" ] || continue
    if ! python3 "$here/compare.py" --tool "$tool" "$kind" "$vectors"; then
      mkdir -p "$keep"
      cp "$vectors" "$keep"
      status=1
    fi
    rm "$vectors"
  done
done
exit $status
