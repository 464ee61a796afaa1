"""The rows about appends and what happens at once after them."""
from figures import Figure, Sample, median_rate, ratios
from load import run_load, wrk_append
from servers import Clouduler, Reference


def alternate(servers, rounds, measure, warm_up=True):
    """measure(server, round) for A, B, A, B, ...; {name: [Sample]}. A first round warms up."""
    samples = {server.name: [] for server in servers}
    for number in range(0 if warm_up else 1, rounds + 1):
        for server in servers:
            sample = measure(server, number)
            if number > 0:
                samples[server.name].append(sample)
    return samples


def against_reference(options, row, what, unit, aim, measure):
    ours, theirs = Clouduler(options.dir), Reference(options.dir)
    try:
        ours.start(), theirs.start()
        samples = alternate([ours, theirs], options.rounds, measure)
    finally:
        ours.forget(), theirs.forget()
    found = ratios(samples["clouduler"], samples["reference"])
    median = sorted(found)[len(found) // 2]
    return Figure(row, what, unit, f"{aim}x the reference", median >= aim, samples, found)


def append_1(options):
    return [against_reference(
        options, "append-1", "appends of 100 bytes, 1 connection, 1 stream", "records/s", 4,
        lambda server, n: wrk_append(server, f"one-{n}-", connections=1, streams=1,
                                     seconds=options.seconds))]


def append_32(options):
    return [against_reference(
        options, "append-32", "appends of 100 bytes, 32 connections, 16 streams", "records/s", 15,
        lambda server, n: wrk_append(server, f"many-{n}-", connections=32, streams=16,
                                     seconds=options.seconds))]


def json_batch(options):
    figures = []
    for connections in (1, 4):
        figure = against_reference(
            options, "json-batch", f"JSON appends of 1,000 records of 100 bytes, {connections} "
            "connection(s)", "records/s", 1,
            lambda server, n: wrk_append(server, f"json-{n}-", connections=connections,
                                         streams=connections, seconds=options.seconds, batch=1000))
        figure.aim = "1,000,000 records/s"
        figure.reached = median_rate(figure.samples["clouduler"]) >= 1e6
        figures.append(figure)
    return figures


def fan_out(options):
    def measure(server, n):
        before = server.cpu_seconds()
        result = run_load("fan-out", port=server.port, path=server.path(f"fan-{n}"), readers=1000,
                          ms=options.seconds * 1000)
        assert result["missing"] == 0, (server.name, result)
        server.settle()
        return Sample(result["deliveries"] / result["seconds"],
                      (server.cpu_seconds() - before) / result["deliveries"] * 1e6,
                      {"appends/s": result["appended"] / result["seconds"]})
    return [against_reference(options, "fan-out", "one appender, 1,000 SSE readers",
                              "deliveries/s", 5, measure)]


def idle_append(options):
    server = Clouduler(options.dir)
    over, samples = [], {"clouduler": [], "one fdatasync": []}
    try:
        server.start()
        for n in range(options.rounds + 1):
            result = run_load("idle-append", port=server.port, path=server.path(f"idle-{n}"),
                              rounds=200, probe_file=server.dir / "probe")
            if n == 0:
                continue
            for name, key in (("clouduler", "append_us"), ("one fdatasync", "fdatasync_us")):
                times = result[key]
                samples[name].append(Sample(times["p50"], None, {
                    k + " us": v for k, v in times.items() if k != "p50"}))
            over.append(result["append_us"]["p50"] - result["fdatasync_us"]["p50"])
    finally:
        server.forget()
    median = sorted(over)[len(over) // 2]
    return [Figure("idle-append", "one append on an idle node, beside one fdatasync", "us",
                   "that + 150 us", median <= 150, samples, [],
                   f"append minus fdatasync: {median:.0f} us ({min(over):.0f}..{max(over):.0f})")]
