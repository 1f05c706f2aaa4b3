#!/usr/bin/env python3
"""Compares the files of a corpus with what was written of them, by a comparer that shares no code with Recto.

usage: outside.py PKGDIFF.py PAIRS.tsv EXPECTED.tsv

PAIRS.tsv is what `recto corpus --write-pairs` lists. A pair may differ only if EXPECTED.tsv says so: end of the path,
outcome, reason, separated by tabs; all outcomes count. What the comparer itself cannot read of the originals proves
nothing and is only counted.
"""
import importlib.util
import multiprocessing
import sys

UNREADABLE_ORIGINAL = 2


def load(path):
    spec = importlib.util.spec_from_file_location("pkgdiff", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def begin(path):
    global pkgdiff
    pkgdiff = load(path)


def compare(pair):
    original, written = pair
    status, differences = pkgdiff.compare(original, written, 5)
    return original, status, differences


def main():
    comparer, pairs, expected = sys.argv[1:]
    with open(pairs, encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t") for line in lines]
    with open(expected, encoding="utf-8") as lines:
        known = [line.split("\t")[0] for line in lines if line.strip() and not line.startswith("#")]
    counts = {"equal": 0, "expected to differ": 0, "not readable for the comparer": 0}
    failures = 0
    with multiprocessing.Pool(initializer=begin, initargs=(comparer,)) as pool:
        for original, status, differences in pool.imap(compare, pairs, chunksize=8):
            if status == 0:
                counts["equal"] += 1
            elif status == UNREADABLE_ORIGINAL:
                counts["not readable for the comparer"] += 1
            elif any(original == end or original.endswith("/" + end) for end in known):
                counts["expected to differ"] += 1
            else:
                failures += 1
                print(f"FAILED: {original}")
                for difference in differences:
                    print("  ", *difference)
    print(f"{len(pairs)} pairs:", ", ".join(f"{count} {what}" for what, count in counts.items()), f"and {failures} failures")
    return 1 if failures or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
