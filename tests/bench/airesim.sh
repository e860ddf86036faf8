#!/bin/bash
# trainstorm beside AIReSim on AIReSim's own default scenario: the means of both, how far they are apart, and the
# processor time of one replication.
#
#   tests/bench/airesim.sh CHECKOUT [THEIRS [OURS]]
#
# CHECKOUT is a copy of AIReSim's repository; python3 must find SimPy. THEIRS is how many replications AIReSim
# runs (20), or a file of those of an earlier run, which is left in the working directory as airesim.csv.
# OURS is how many trainstorm runs (2000). Run it from the build directory, or set TRAINSTORM to the program.
# Status: 0 all agree and trainstorm is a thousand times as fast; 1 not so; 77 there is nothing to compare with.
set -eu
checkout=${1:-} theirs=${2:-20} ours=${3:-2000}
program=${TRAINSTORM:-./trainstorm}
export TRAINSTORM_DATADIR=${TRAINSTORM_DATADIR:-$(cd "$(dirname "$0")/../.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
    echo "skipped: $1" >&2
    exit 77
}

[ -f "$checkout/airesim/simulator.py" ] || [ -f "$theirs" ] || skip "no copy of AIReSim at '$checkout'"
[ -x "$program" ] || skip "no program at '$program'"
if [ ! -f "$theirs" ]; then
    PYTHONPATH="$checkout:${PYTHONPATH:-}" python3 -c 'import simpy' 2>"$scratch/why" || skip "python3 has no SimPy"
    PYTHONPATH="$checkout:${PYTHONPATH:-}" python3 - "$theirs" >airesim.csv <<'PYTHON'
import sys, time
from airesim.params import Params
from airesim.simulator import Simulator

print("time_to_finish,uptime,failures,repairs,manual_repairs,failed_repairs,draws,cold_starts,seconds")
for i in range(int(sys.argv[1])):
    begin = time.process_time()
    run = Simulator(Params(), seed=42 + i).run()
    # the first host selection is no answer to a failure
    print(run.total_training_time * 60, run.effective_training_ratio, run.total_failures, run.auto_repairs,
          run.manual_repairs, run.failed_repairs, run.preemption_count, run.host_selection_count - 1,
          time.process_time() - begin, sep=",", flush=True)
PYTHON
    theirs=airesim.csv
fi

seconds() { # of processor time that a command takes
    python3 - "$@" <<'PYTHON'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
PYTHON
}

used=$(seconds "$program" run airesim-default --replications "$ours" --seed 1 -j 1 --quiet --db "$scratch/ours.sqlite")

python3 - "$theirs" "$scratch/ours.sqlite" "$used" <<'PYTHON'
import csv, math, sqlite3, statistics, sys

theirs, database, used = sys.argv[1:]
rows = list(csv.DictReader(open(theirs)))
names = [name for name in rows[0] if name != "seconds"]
sigmas = 3.3  # two-sided; 99 % for all the figures together (Sidak)
agree = True
print(f"{'':16}{'AIReSim':>26}{'trainstorm':>28}{'apart':>9}")
for name in names:
    a = [float(row[name]) for row in rows]
    b = [value for value, in sqlite3.connect(database).execute(
        "select value from metric where name = ? and replay is null", (name,))]
    error = lambda x: statistics.stdev(x) / math.sqrt(len(x))
    apart = (statistics.mean(b) - statistics.mean(a)) / math.hypot(error(a), error(b))
    agree &= abs(apart) <= sigmas
    print(f"{name:16}{statistics.mean(a):14.6g} ± {1.96 * error(a):<9.3g}"
          f"{statistics.mean(b):16.6g} ± {1.96 * error(b):<9.3g}{apart:8.1f}σ")
slow = statistics.mean(float(row["seconds"]) for row in rows)
fast = float(used) / len(b)
print(f"\nprocessor time of a replication: AIReSim {slow:.2f} s ({len(rows)} of them), "
      f"trainstorm {1e3 * fast:.2f} ms ({len(b)}), {slow / fast:.0f} times as fast")
sys.exit(0 if agree and slow >= 1000 * fast else 1)
PYTHON
