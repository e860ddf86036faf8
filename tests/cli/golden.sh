# What the command-line tests share: source it after tests/tap.sh.

# golden NAME COMMAND…: passes when the command prints what tests/golden/NAME holds. With UPDATE_GOLDEN=1 in the
# environment it writes that file instead; read what changed before you commit it. How long a study took is no part
# of it.
golden() {
  local file=$top_srcdir/tests/golden/$1 name=$1
  shift
  "$@" | sed -E 's/^(Study .* failed; )[0-9.e+-]+ s\.$/\1a while./' >"$scratch/golden"
  [ "${UPDATE_GOLDEN-}" != 1 ] || cp "$scratch/golden" "$file"
  ok "$name is as it was" diff "$file" "$scratch/golden"
}

# ends STATUS COMMAND…: runs the command, its output in $scratch/output and $scratch/errors, and is true when it
# ends with STATUS.
ends() {
  local status=$1 code
  shift
  "$@" >"$scratch/output" 2>"$scratch/errors" </dev/null
  code=$?
  [ "$code" -eq "$status" ] || {
    echo "status $code, wanted $status"
    cat "$scratch/errors"
    return 1
  }
}

# refused NAME STATUS PATTERN COMMAND…: passes when the command ends with STATUS, says PATTERN (an extended
# regular expression) on standard error, prints nothing and leaves no database.
refused() {
  local name=$1 status=$2 pattern=$3
  shift 3
  ok "$name" refuses "$status" "$pattern" "$@"
}

refuses() {
  local status=$1 pattern=$2
  shift 2
  ends "$status" "$@" || return
  grep -qE -- "$pattern" "$scratch/errors" || {
    echo "no '$pattern' in:"
    cat "$scratch/errors"
    return 1
  }
  [ ! -s "$scratch/output" ] || {
    echo "it printed:"
    cat "$scratch/output"
    return 1
  }
  [ ! -e "$scratch/x.sqlite" ] || {
    echo "it left a database"
    return 1
  }
}

# scenario LINE…: writes $scratch/s.yaml, a small scenario with LINEs after it.
base='name: small
seed: 7
replications: 3
duration: 6 h
workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 5 s}
cluster: {chips: 4096, chips_per_slice: 64}
failures: {chip: {mtbi: 80 d}}
strategies:
  - {name: plain, kind: all-reduce, elastic: false}
  - {name: elastic, kind: all-reduce, elastic: true}'
scenario() {
  printf '%s\n' "$base" "$@" >"$scratch/s.yaml"
}

# example NAME: the block of the page $page that is called so, into a file of that name.
example() {
  awk -v name="$1" '/^```/ { inside = !inside && $2 == name; next } inside' "$page" >"$1"
  [ -s "$1" ]
}
