#!/usr/bin/env bash
# What a sweep costs beside its runs, how much faster two workers are than one, and how long a database of 10,000
# runs takes to summarise, to plot and to report: of one strategy along one axis, and of four along three. Ratios are of one run of this script: pairs are interleaved, their median
# counts. Wants a machine of two idle cores or more.
#
#   tests/bench/bench_sweep.sh [PAIRS [RUNS [MANY]]]      TRAINSTORM: the program, ./trainstorm by default
set -eu
pairs=${1:-9} runs=${2:-1000} many=${3:-10000}
top=$(cd "$(dirname "$0")/../.." && pwd)
program=$(readlink -f "${TRAINSTORM:-./trainstorm}")
export TRAINSTORM_DATADIR=${TRAINSTORM_DATADIR:-$top}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Runs of some 20 to 30 ms.
cat >short.yaml <<Y
name: short
duration: 12 d
replications: $((runs / 10))
workload: {parameters: 1e9, tokens_per_step: 1048576, step_time: 5 s}
cluster: {chips: 4096, chips_per_slice: 64}
failures: {chip: {mtbi: 20 d}}
strategies: [{name: elastic, kind: all-reduce, elastic: true}]
sweep: {cluster.chips: [1024, 1536, 2048, 2560, 3072, 3584, 4096, 4608, 5120, 5632]}
Y
sed -e "s/replications: .*/replications: $((many / 10))/" -e 's/12 d/20 min/' short.yaml >one.yaml
cat >three.yaml <<Y
name: three axes
duration: 20 min
replications: $((many / 2000 > 0 ? many / 2000 : 1))
workload: {parameters: 1e9, tokens_per_step: 1048576, step_time: 5 s}
cluster: {chips: 4096, chips_per_slice: 64}
failures: {chip: {mtbi: 20 d}}
strategies:
  - {name: plain, kind: all-reduce}
  - {name: elastic, kind: all-reduce, elastic: true}
  - {name: diloco, kind: diloco, learners: 4}
  - {name: decoupled, kind: decoupled-diloco, learners: 4}
sweep:
  cluster.chips: [1024, 1536, 2048, 2560, 3072, 3584, 4096, 4608, 5120, 5632]
  failures.chip.mtbi: [5 d, 10 d, 20 d, 40 d, 80 d]
  failures.repair.mean: 1..10 min step 1
Y
sed "s/replications: .*/replications: $((runs / 100))/" short.yaml >few.yaml

seconds() { # COMMAND…
  local begun
  begun=$(date +%s.%N)
  "$@" >/dev/null
  echo "$(date +%s.%N) $begun" | awk '{ print $1 - $2 }'
}
sweep() { # JOBS FILE
  rm -f results.sqlite*
  seconds "$program" sweep "$2" --quiet -j "$1" --db results.sqlite
}
median() {
  sort -g | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

elapsed=$(sweep 1 short.yaml)
sqlite3 results.sqlite "select printf('%d runs of %.1f ms: overhead %.1f %%', count(*), 1e3 * avg(wall_s),
  100 * ($elapsed / sum(wall_s) - 1)) from run"

for _ in $(seq "$pairs"); do
  one=$(sweep 1 few.yaml)
  two=$(sweep 2 few.yaml)
  awk -v one="$one" -v two="$two" 'BEGIN { print one / two }'
done >ratios
echo "-j 2 is $(median <ratios) times as fast as -j 1 (median of $pairs pairs)"

for axes in one three; do
  "$program" sweep $axes.yaml --quiet --db $axes.sqlite >/dev/null
  sqlite3 $axes.sqlite "select printf('%d runs at %d points in one database:', count(*), count(distinct point)) from run"
  echo "  sweep with nothing left to run, summary and table: $(seconds "$program" sweep $axes.yaml --quiet --db $axes.sqlite) s"
  for figure in goodput budget waste; do
    echo "  plot $figure: $(seconds "$program" plot $axes.sqlite $figure -o $figure.svg 2>/dev/null) s"
  done
  echo "  report: $(seconds "$program" report $axes.sqlite -o report.html 2>/dev/null) s"
done
