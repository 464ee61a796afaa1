#!/usr/bin/env python3
"""Measures clouduler beside its peers. ./dev bench compare [ROW...] runs it.

Every row runs its servers in turn, A B A B, on the same machine and disk, and reports the ratio of
neighbouring rounds: median (min..max). Beside a rate stands what the server itself spent: CPU
seconds per million records, background work included.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import lives
import reads
import table
import writes
from figures import Figure, Sample
from load import load_average
from servers import ROOT


def apply(options):
    """The commands of the stream service, applied on one core (bench/apply_bench.cc)."""
    binary = ROOT / "build/release/apply_bench"
    done = subprocess.run([str(binary), "--benchmark_format=json"], capture_output=True, text=True,
                          check=True)
    figures = []
    for found in json.loads(done.stdout)["benchmarks"]:
        if "items_per_second" not in found:
            continue
        rate = found["items_per_second"]
        figures.append(Figure("apply", found["name"], "commands/s", "1,000,000", rate >= 1e6,
                              {"clouduler": [Sample(rate, 1e6 / rate)]}))
    return figures


ROWS = {
    "append-1": writes.append_1,
    "append-32": writes.append_32,
    "read": reads.reads,
    "idle-append": writes.idle_append,
    "fan-out": writes.fan_out,
    "idle": lives.idle_streams,
    "apply": apply,
    "recovery": lives.recovery,
    "json-batch": writes.json_batch,
}


def parse(words):
    parser = argparse.ArgumentParser(prog="./dev bench compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="some of: " + " ".join(ROWS))
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds of each server [3]")
    parser.add_argument("--seconds", type=int, default=4, help="length of one round [4]")
    parser.add_argument("--json", type=pathlib.Path, help="also write every sample to this file")
    parser.add_argument("--docs", type=pathlib.Path, metavar="PAGE",
                        help="rewrite the table of this page, docs/benchmarks.md, and measure nothing: "
                        "from the file that --json names")
    parser.add_argument("--dir", type=pathlib.Path, default=ROOT / "build",
                        help="where the servers keep their data, a disk worth measuring [build]")
    options = parser.parse_args(words)
    unknown = [row for row in options.rows if row not in ROWS]
    if unknown:
        parser.error(f"no row is called {unknown[0]!r}: {' '.join(ROWS)}")
    options.hold_uploads = ["--upload-interval-sec", "3600", "--upload-bytes", str(8 << 30)]
    return options


def store(path, row, figures):
    """Replaces what the file says of this row, so that a row can be measured again by itself."""
    kept = json.loads(path.read_text()) if path.exists() else []
    kept = {name: [f for f in kept if f["group"] == name] for name in ROWS}
    kept[row] = [figure.as_json() | {"group": row} for figure in figures]
    path.write_text(json.dumps([f for found in kept.values() for f in found], indent=1) + "\n")


def main(words):
    options = parse(words)
    if options.docs:
        stored = json.loads(options.json.read_text())
        table.rewrite(options.docs, [table.figure_of(figure) for figure in stored])
        return
    base, figures = options.dir, []
    for row in options.rows or ROWS:
        options.dir = pathlib.Path(tempfile.mkdtemp(prefix="compare-", dir=base))
        options.dir.chmod(0o755)
        print(f"==> {row} (load average {load_average():.1f})", file=sys.stderr)
        began = time.monotonic()
        try:
            found = ROWS[row](options)
        finally:
            shutil.rmtree(options.dir, ignore_errors=True)
        figures += found
        for figure in found:
            print(figure.line(), flush=True)
        print(f"==> {row} took {time.monotonic() - began:.0f} s", file=sys.stderr)
        if options.json:
            store(options.json, row, found)
    missed = sum(figure.reached is False for figure in figures)
    print(f"{len(figures)} figures, {missed} below their aim")


if __name__ == "__main__":
    main(sys.argv[1:])
