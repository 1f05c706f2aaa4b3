#!/bin/sh
# Counts the instructions of fixed operations and compares them with instructions.tsv. Unlike times, the counts hardly
# differ from run to run and from machine to machine.
#
#   benches/callgrind.sh            compare; exit status 1 if an operation takes over 3 % more
#   benches/callgrind.sh --update   write the counts of now into instructions.tsv
set -eu

cd "$(dirname "$0")/.."
table=benches/instructions.tsv
tolerance=3

if ! command -v valgrind >/dev/null; then
    echo "valgrind is not installed: instructions were not counted"
    exit 0
fi

cargo build --quiet --release --package recto-benches --bin recto-benches
program=${CARGO_TARGET_DIR:-target}/release/recto-benches
# The inputs are made beforehand, so that making them is not counted.
"$program" inputs guard-numbers guard-mixed guard-document small-xlsx small-docx >/dev/null

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" run "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

tab=$(printf '\t')
counted=$(mktemp)
trap 'rm -f "$counted"' EXIT
status=0
while IFS=$tab read -r operation input expected; do
    case $operation in
    '#'*)
        printf '%s\n' "$operation" >>"$counted"
        continue
        ;;
    esac
    now=$(count "$operation" "$input")
    if [ -z "$now" ]; then
        echo "$operation of $input failed under valgrind"
        exit 1
    fi
    printf '%s\t%s\t%s\n' "$operation" "$input" "$now" >>"$counted"
    change=$(awk "BEGIN { printf \"%+.1f\", ($now - $expected) * 100 / $expected }")
    verdict=
    if [ "$((now * 100))" -gt "$((expected * (100 + tolerance)))" ]; then
        verdict=' too many'
        status=1
    fi
    printf '%-12s %-16s %13d, was %13d: %s %%%s\n' "$operation" "$input" "$now" "$expected" "$change" "$verdict"
done <"$table"

if [ "${1:-}" = --update ]; then
    cp "$counted" "$table"
    exit 0
fi
exit "$status"
