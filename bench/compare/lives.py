"""The rows about starting: 100,000 idle streams, and recovery after kill -9."""
import shutil
import subprocess
import time

from figures import Figure, Sample, ratios
from load import run_load, wrk_append
from servers import Clouduler, request
from writes import alternate

FEW, MANY = 10, 100_000


def with_streams(options, name, count):
    """A node with `count` streams of one record each, restarted; and what its start took."""
    server = Clouduler(options.dir)
    server.dir = server.dir.parent / name
    server.dir.mkdir()
    server.name = name
    server.start()
    run_load("create", port=server.port, prefix=server.path("idle-"), count=count, body_bytes=100)
    server.settle(30)
    loaded = server.rss_bytes()
    server.stop()
    seconds = server.start()
    server.settle(30)
    return server, seconds, loaded, server.rss_bytes()


def idle_streams(options):
    servers = []
    try:
        few, _, few_loaded, few_rss = with_streams(options, "with 10", FEW)
        servers.append(few)
        many, seconds, many_loaded, many_rss = with_streams(options, "with 100,000", MANY)
        servers.append(many)
        samples = alternate(servers, options.rounds, lambda server, n: wrk_append(
            server, f"busy-{n}-", connections=32, streams=16, seconds=options.seconds))
    finally:
        for server in servers:
            server.forget()
    found = ratios(samples["with 100,000"], samples["with 10"])
    median = sorted(found)[len(found) // 2]
    per_stream = (many_rss - few_rss) / (MANY - FEW)
    per_loaded = (many_loaded - few_loaded) / (MANY - FEW)
    return [
        Figure("idle", "memory of an idle stream (RSS, after a restart; before it)", "bytes",
               "1,024 bytes", per_stream <= 1024,
               {"after the restart": [Sample(per_stream)], "just created": [Sample(per_loaded)]}),
        Figure("idle", "start with 100,000 streams, until /ready", "s", "5 s", seconds <= 5,
               {"clouduler": [Sample(seconds)]}),
        Figure("idle", "appends of 100 bytes beside 100,000 idle streams and beside 10",
               "records/s", "0.8x", median >= 0.8, samples, found),
    ]


def until_read(server, path, offset, want):
    """Seconds until the record at `offset` comes back whole."""
    began = time.monotonic()
    while True:
        try:
            status, _, body = request(server.port, "GET", f"{path}?offset={offset}", timeout=30)
            if status == 200 and body == want:
                return time.monotonic() - began
        except OSError:
            pass
        time.sleep(0.002)


def cat(server):
    began = time.monotonic()
    subprocess.run(["cat", *map(str, server.wal_files())], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def recovery_of(options, mib):
    # Uploads are held back, so that everything appended is still only in the write-ahead log.
    server = Clouduler(options.dir, *options.hold_uploads)
    path, last = server.path("last"), b"the last record"
    kept = server.dir.parent / "kept"
    times = {"cat": [], "until /ready": [], "until the last record is read": []}
    try:
        server.start()
        for i in range(16):
            run_load("fill", port=server.port, path=server.path(f"wal-{i}"), record_bytes=10_000,
                     records=(mib << 20) // 16 // 10_000, connections=16)
        request(server.port, "PUT", path, headers={"Content-Type": "text/plain"})
        request(server.port, "POST", path, last, {"Content-Type": "text/plain"})
        server.kill()
        wal_mib = server.wal_bytes() / (1 << 20)
        (server.dir / "data").rename(kept)
        for n in range(options.rounds + 1):
            shutil.copytree(kept, server.dir / "data")
            cat(server)  # Warm for both: the page cache holds the files when either reads them.
            cat_sec = cat(server)
            ready = server.start()
            read = ready + until_read(server, path, "-1", last)
            server.kill()
            shutil.rmtree(server.dir / "data")
            if n > 0:
                for name, seconds in zip(times, (cat_sec, ready, read)):
                    times[name].append(Sample(seconds))
    finally:
        if server.process:
            server.kill()
        server.forget()
        shutil.rmtree(kept, ignore_errors=True)
    found = ratios(times["until the last record is read"], times["cat"])
    median = sorted(found)[len(found) // 2]
    return Figure("recovery", f"start after kill -9 with {mib} MiB appended ({wal_mib:.0f} MiB of "
                  "WAL, in the page cache)", "s", "3x cat", median <= 3, times, found)


def recovery(options):
    return [recovery_of(options, 100), recovery_of(options, 1024)]
