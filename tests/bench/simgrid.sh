#!/bin/bash
# The network's solver beside SimGrid's fluid model, with the same flows on the same links: events per second of both
# and how far apart they end.
#
#   tests/bench/simgrid.sh
#
# Run it from the build directory; it needs SimGrid with its headers (Debian's libsimgrid-dev). Status: 0 both come to
# the same, and ours is at least 3 times as fast with 1,000 flows and 10 times with 10,000, whatever way SimGrid goes;
# 1 not so; 77 there is nothing to compare with.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
    echo "skipped: $1" >&2
    exit 77
}

[ -f models/libmodels.a ] || skip "no build here; make it first"
echo '#include <simgrid/actor.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || skip "no SimGrid"
${CC:-cc} -std=gnu17 -O2 -I"$source" -o "$scratch/flows" "$source"/tests/bench/flows_simgrid.c \
    "$source"/tests/bench/flow_workload.c models/libmodels.a sim/libsim.a -lsimgrid -lm

printf '%-8s %8s  %-4s %12s %12s %8s %10s\n' traffic flows way ours SimGrid ratio apart
# 10,000 flows from anywhere to anywhere take SimGrid minutes.
while read -r traffic flows events; do
    for way in Lazy Full; do
        "$scratch/flows" "$traffic" "$flows" "$events" $way "$scratch/platform.xml"
    done
done <<'END' | tee "$scratch/table"
groups 100 10000
groups 1000 2000
groups 10000 100
all 100 10000
all 1000 2000
END
awk '$2 == 1000 && $6 < 3 || $2 == 10000 && $6 < 10 || $7 > 1e-3 { slow = 1 } END { exit slow || NR != 10 }' "$scratch/table"
