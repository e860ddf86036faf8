# shellcheck shell=bash
# TAP for shell tests: source it as . "${top_srcdir:-.}/tests/tap.sh", call `ok` or `is` for each test, `finish` last.
# $TRAINSTORM is the program under test; $scratch is a folder that goes away at the end.
set -u
: "${top_srcdir:=$(pwd)}" "${top_builddir:=$(pwd)}"
: "${TRAINSTORM:=$top_builddir/trainstorm}" "${TRAINSTORM_DATADIR:=$top_srcdir}"
export TRAINSTORM_DATADIR
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tap_number=0
tap_failures=0

# ok NAME COMMAND…: passes when the command ends with 0; shows what it printed when it doesn't.
ok() {
  local name=$1
  shift
  tap_number=$((tap_number + 1))
  if "$@" >"$scratch/ok.output" 2>&1; then
    echo "ok $tap_number - $name"
  else
    tap_failures=$((tap_failures + 1))
    echo "not ok $tap_number - $name"
    sed 's/^/# /' "$scratch/ok.output"
  fi
}

# is NAME GOT WANTED: passes when both are the same text.
is() {
  ok "$1" diff <(printf '%s\n' "$2") <(printf '%s\n' "$3")
}

# skip NAME REASON: counts a test that can't run here.
skip() {
  tap_number=$((tap_number + 1))
  echo "ok $tap_number - $1 # SKIP $2"
}

finish() {
  echo "1..$tap_number"
  [ "$tap_failures" -eq 0 ]
}
