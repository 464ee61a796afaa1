"""Runs wrk and bench_load against a server and charges the server's CPU to what they counted."""
import json
import os
import subprocess

from figures import Sample
from servers import ROOT, request

LOAD = ROOT / "build/release/bench_load"
LUA = ROOT / "bench/compare/append.lua"


def run_load(command, **flags):
    words = [str(LOAD), command]
    for name, value in flags.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{done.stderr}")
    return json.loads(done.stdout)


def create_streams(server, prefix, streams, kind):
    for i in range(streams):
        status, _, body = request(server.port, "PUT", f"{server.path(prefix)}{i}",
                                  headers={"Content-Type": kind})
        assert status in (200, 201), (server.name, status, body)


def wrk_append(server, prefix, *, connections, streams, seconds, record_bytes=100, batch=0):
    """Appends to fresh streams; a Sample of records a second."""
    kind = "application/json" if batch else "application/octet-stream"
    create_streams(server, prefix, streams, kind)
    before = server.cpu_seconds()
    words = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", str(LUA),
             f"http://127.0.0.1:{server.port}", "--", server.path(prefix), str(streams),
             str(record_bytes), str(batch)]
    done = subprocess.run(words, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not found:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    result = json.loads(found[0][len("RESULT "):])
    assert result["refused"] == result["broken"] == 0, (server.name, result)
    server.settle()
    records = result["requests"] * max(batch, 1)
    return Sample(records / result["seconds"], (server.cpu_seconds() - before) / records * 1e6,
                  {"p50 us": result["p50_us"], "p99 us": result["p99_us"]})


def read_passes(server, path, *, readers, ms, file=False):
    """Catch-up readers; a Sample of MiB a second, CPU per GiB in extra."""
    before = server.cpu_seconds()
    result = run_load("read", port=server.port, path=path, readers=readers, ms=ms,
                      file="yes" if file else "no")
    gib = result["bytes"] / (1 << 30)
    cpu = server.cpu_seconds() - before
    return Sample(gib * 1024 / result["seconds"], None,
                  {"CPU s/GiB": cpu / gib, "requests": result["requests"]})


def read_whole(server, path):
    """Everything in the stream, as the bodies lie one after the other."""
    parts, offset = [], "-1"
    while True:
        status, headers, body = request(server.port, "GET", f"{path}?offset={offset}")
        assert status == 200, (server.name, status, body[:200])
        parts.append(body)
        offset = headers["Stream-Next-Offset"]
        if headers.get("Stream-Up-To-Date") == "true":
            return b"".join(parts)


def load_average():
    return os.getloadavg()[0]
