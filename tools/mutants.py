#!/usr/bin/env python3
"""Removes one check at a time from a copy of the tree and demands that the simulation notices.

    tools/mutants.py [NAME...]     all of tests/mutants, or those named

A mutant is a file: what it breaks, the source file, the text that goes and the text that comes.
Exit 1 if the unchanged tree fails, if a mutant survives, or if its text is not there any more.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = TREE / "build" / "release"  # The same place in its tree, so that ccache knows it all.
TESTS = ["--gtest_filter=EngineSimTest.AnyRun*:EngineSimTest.ACrash*", "--gtest_fail_fast"]
PARTS = ("src", "sim", "tests", "bench", "fuzz", "cmake", "tools", "CMakeLists.txt",
         "CMakePresets.json")
MADE = {"node_modules", "__pycache__"}  # By installing and running, not by us.
SEEDS, CRASHES, CALM_SEEDS = "60", "40", "10"


def read(path):
    why, rest = path.read_text().split("\n\n", 1)
    source, rest = rest.split("\n<<<<\n", 1)
    old, rest = rest.split("====\n", 1)
    new = rest.split(">>>>\n", 1)[0]
    return why, source, old, new


def copy_tree():
    """Only what changed is copied, so that what was built stays built."""
    wanted = {str(path.relative_to(ROOT)) for top in PARTS
              for path in [ROOT / top, *(ROOT / top).rglob("*")]
              if path.is_file() and not MADE & set(path.parts)}
    for name in wanted:
        target = TREE / name
        content = (ROOT / name).read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    for path in TREE.rglob("*"):
        name = str(path.relative_to(TREE))
        if path.is_file() and not name.startswith("build/") and name not in wanted:
            path.unlink()


def build():
    return subprocess.run(["ninja", "-C", str(BUILD), "sim_test"], capture_output=True, text=True)


def simulate(seeds):
    """The line that says what broke; None if nothing did."""
    env = dict(os.environ, SIM_SEEDS=seeds, SIM_CRASHES=CRASHES)
    try:
        done = subprocess.run([str(BUILD / "sim_test"), *TESTS], env=env, capture_output=True,
                              text=True, timeout=150)
    except subprocess.TimeoutExpired:
        return "it does not end"
    if done.returncode == 0:
        return None
    lines = (done.stdout + done.stderr).split("\n")
    for line in lines:
        if "Which is:" in line or "CHECK" in line or "check" in line:
            return line.strip()
    return f"exit code {done.returncode}"


def main(names):
    paths = [path for path in sorted((ROOT / "tests" / "mutants").glob("*.mutant"))
             if not names or path.stem in names]
    copy_tree()
    if not (BUILD / "build.ninja").exists():
        shutil.rmtree(BUILD, ignore_errors=True)
        subprocess.run(["cmake", "--preset", "release"], cwd=TREE, check=True, capture_output=True)
    built = build()
    if built.returncode:
        print(built.stdout[-3000:])
        return 1
    if broken := simulate(CALM_SEEDS):
        print(f"mutants: the unchanged tree fails already: {broken}")
        return 1
    survivors = 0
    for path in paths:
        why, source, old, new = read(path)
        target = TREE / source
        text = target.read_text()
        begun = time.monotonic()
        if text.count(old) != 1:
            print(f"{path.stem}: {source} does not have its text once; bring it up to date")
            survivors += 1
            continue
        target.write_text(text.replace(old, new))
        built = build()
        broken = None
        if built.returncode:
            print(built.stdout[-2000:])
        else:
            broken = simulate(SEEDS)
        target.write_text(text)
        took = time.monotonic() - begun
        if broken is None:
            survivors += 1
            print(f"{path.stem}: SURVIVES ({took:.0f} s): {why}", flush=True)
        else:
            print(f"{path.stem}: caught ({took:.0f} s): {broken}", flush=True)
    print(f"{len(paths) - survivors} mutants caught, {survivors} not")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
