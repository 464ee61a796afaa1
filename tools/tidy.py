#!/usr/bin/env python3
"""Checks the rules that no compiler knows. Runs as a test; prints one line a breach."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Which folder may include which. The order is the architecture, bottom first.
BELOW = {
    "core": "",
    "log": "core",
    "cluster": "core log",
    "stream": "core log cluster",
    "durable": "core log cluster stream",
    "container": "core log cluster",
    "kafka": "core",
    "ports": "core log",
    "adapters": "core log ports kafka",
    "drivers": "core log cluster stream durable container kafka ports",
    "sim": "core log cluster stream durable container kafka ports drivers",
    "app": "core log cluster stream durable container kafka ports adapters drivers",
}
MAY_INCLUDE = {name: {name, *deps.split()} for name, deps in BELOW.items()}
PURE = {"core", "log", "cluster", "stream", "durable", "container", "kafka"}
# One contract test of a port runs over its real and its simulated implementation.
REAL_AND_SIMULATED = {"ports", "adapters", "drivers"}

# (where, pattern, reason); where is "pure", "tests" or "all".
BANNED = [
    ("pure", r"(system|steady|high_resolution)_clock|gettimeofday|clock_gettime|\btime\(nullptr\)",
     "a pure folder has no clock: time is an argument"),
    ("pure", r"random_device|mt19937|uniform_int_distribution|std::shuffle|\brand\(",
     "a pure folder has no chance of its own: take a core::Random"),
    ("pure", r"std::(j?thread|mutex|shared_mutex|condition_variable|async)\b|sleep_for|\batomic",
     "a pure folder has no threads"),
    ("pure", r"unordered_(multi)?(map|set)", "iteration order differs between nodes"),
    ("pure", r"#include <(boost/(?!pfr)|sys/|netinet/|unistd|fcntl|fstream|iostream|filesystem"
             r"|spdlog|sqlite3|SQLiteCpp|openssl|curl)",
     "a pure folder does no I/O and does not log"),
    ("pure", r"\bnew \w|\bdelete \w", "ownership is held by a value or a smart pointer"),
    ("tests", r"sleep_for|sleep_until\(std|\b(u|nano)?sleep\(", "a test waits for a fact, not for time"),
    ("all", r"using namespace std;", "write std::"),
    ("all", r'#include "[^/"]+"', "include by path from src/ or the root"),
    ("all", r'#include "(src/|\.\.?/)', "include by path from src/ or the root"),
]
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|(?i:\bfor now\b|not implemented|unimplemented)")
LINES_WANTED, LINES_MAX = 400, 450


def without_comments(text):
    """The code alone, line numbers kept. Text in quotes stays: includes are made of it."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return re.sub(r"(?m)(^|[^:\"])//[^\n]*", r"\1", text)


def coroutine_traps(code):
    """Offsets where a braced or capturing-lambda temporary is built inside a co_await expression."""
    code = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', lambda m: "s" * len(m[0]), code)
    for start in re.finditer(r"(?<!operator )\bco_await\b", code):
        depth, before = 0, ""
        for at in range(start.end(), len(code)):
            char = code[at]
            if char in ")]}" and depth == 0 or char == ";":
                break
            if char == "{":
                if depth == 0 and before in {")", ""}:
                    break  # the body of an if or a loop
                yield start.start()
                break
            if char == "[" and before in "(,=" and code[at + 1:at + 2] != "]":
                yield start.start()
                break
            depth += (char in "([") - (char in ")]")
            if not char.isspace():
                before = char


def folder_of(name):
    """('stream', is a test) for src/stream/..., tests/stream/..., sim/..."""
    parts = name.parts
    if parts[0] in {"src", "tests"}:
        return parts[1], parts[0] == "tests"
    return parts[0], parts[0] in {"fuzz", "bench"}


def allowed(folder, is_test):
    if not is_test:
        return MAY_INCLUDE.get(folder, set())
    every = set(BELOW)
    if folder in PURE:
        return every - {"adapters", "app"} | {"tests"}
    if folder in REAL_AND_SIMULATED or folder == "sim":
        return every - {"app"} | {"tests"}
    return every | {"tests"} | ({"bench"} if folder == "bench" else set())


def breaches_of_code(name, text):
    folder, is_test = folder_of(name)
    code = without_comments(text)
    if not is_test and folder not in BELOW:
        yield f"{name}: tools/tidy.py does not know the folder {folder}"
    for hit in re.finditer(r'#include "(\w+)/', code):
        if hit[1] not in allowed(folder, is_test):
            line = code.count("\n", 0, hit.start()) + 1
            yield f"{name}:{line}: {name.parts[0]}/{folder} may not include {hit[1]}/"
    kinds = {"all"} | ({"tests"} if is_test else {"pure"} if folder in PURE else set())
    if folder == "bench":
        kinds = {"all"}  # what it measures may be an idle server
    for where, pattern, reason in BANNED:
        if where in kinds:
            for hit in re.finditer(pattern, code):
                yield f"{name}:{code.count(chr(10), 0, hit.start()) + 1}: {reason} ({hit[0]})"
    for at in coroutine_traps(code):
        yield (f"{name}:{code.count(chr(10), 0, at) + 1}: g++ 12 destroys a braced or lambda "
               "temporary of a co_await twice: name it first")
    if name.suffix == ".h" and not text.startswith("#pragma once\n"):
        yield f"{name}:1: the first line of a header is #pragma once"


def breaches():
    for top in ("src", "sim", "tests", "fuzz", "bench", "tools"):
        for path in sorted((ROOT / top).rglob("*")):
            name = path.relative_to(ROOT)
            if path.suffix not in {".h", ".cc", ".py"} or "node_modules" in name.parts:
                continue
            text = path.read_text()
            if path.suffix != ".py":
                yield from breaches_of_code(name, text)
            if name != pathlib.Path("tools/tidy.py"):
                for number, line in enumerate(text.splitlines(), 1):
                    if hit := UNFINISHED.search(line):
                        yield f"{name}:{number}: finish it or leave it out ({hit[0]})"
            lines = text.count("\n")
            if lines > LINES_MAX:
                yield f"{name}: {lines} lines, more than {LINES_MAX}: one noun per file"
            elif lines > LINES_WANTED:
                print(f"note: {name}: {lines} lines, more than {LINES_WANTED} is too long to like")


if __name__ == "__main__":
    found = list(breaches())
    print("\n".join(found))
    sys.exit(bool(found))
