#!/usr/bin/env bash
# Counts the instructions of fixed operations and compares them with instructions.tsv. Unlike times, the counts hardly
# differ from run to run.
#
#   benches/callgrind.sh            compare; exit status 1 if an operation takes over 3 % more
#   benches/callgrind.sh --update   write the counts of now into instructions.tsv
set -euo pipefail

cd "$(dirname "$0")/.."
table=benches/instructions.tsv
tolerance=3

command -v valgrind >/dev/null || { echo "instructions are counted by valgrind, which is not installed"; exit 1; }

# Structs are what prost makes of them: the engine is what is watched here.
cargo build --quiet --locked --release -p recto-benches --no-default-features --bin recto-benches
program=${CARGO_TARGET_DIR:-target}/release/recto-benches
counted=$(mktemp)
log=$(mktemp)
trap 'rm -f "$counted" "$log"' EXIT

# What the program takes for one run of an operation on an input.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" run "$1" "$2" 2>"$log" || { cat "$log" >&2; return 1; }
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log"
}

# The inputs are made beforehand, so that making them is not counted.
"$program" inputs $(grep -v '^#' "$table" | cut -f 2 | sort -u) >/dev/null

status=0
grep '^#' "$table" >"$counted"
while IFS=$'\t' read -r operation input before; do
    now=$(count "$operation" "$input")
    printf '%s\t%s\t%d\n' "$operation" "$input" "$now" >>"$counted"
    verdict=
    if [ $((now * 100)) -gt $((before * (100 + tolerance))) ]; then
        verdict=', too many'
        status=1
    fi
    change=$(awk "BEGIN { printf \"%+.1f\", ($now - $before) * 100 / $before }")
    printf '%-8s %-15s %12d, was %12d: %s %%%s\n' "$operation" "$input" "$now" "$before" "$change" "$verdict"
done < <(grep -v '^#' "$table")

if [ "${1:-}" = --update ]; then
    cp "$counted" "$table"
    exit 0
fi
exit "$status"
