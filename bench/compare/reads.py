"""The rows about catch-up reads: the reference server, and nginx with the same bytes in a file."""
from figures import Figure, ratios
from load import read_passes, read_whole, run_load
from servers import Clouduler, Nginx, Reference
from writes import alternate

MIB = 1 << 20
# name, what, type, record bytes, records of one append, MiB. Appends to the reference server take long
# one by one: the last shape is compared with nginx alone.
SHAPES = [
    ("large", "records of 1 MiB", "application/octet-stream", MIB, 1, 100),
    ("json", "JSON records of 100 bytes, appended by 10,000", "application/json", 100, 10_000, 100),
    ("single", "records of 100 bytes, appended one by one", "application/octet-stream", 100, 1, 4),
]


def fill(server, name, kind, record_bytes, batch, mib):
    # The reference server keeps JSON text in its own order of appends: one connection is enough.
    records = mib * MIB // record_bytes // batch * batch
    run_load("fill", port=server.port, path=server.path(name), type=kind, batch=batch,
             record_bytes=record_bytes, records=records, connections=64 if batch == 1 else 4)
    return records


def figures_of(options, servers, shape, readers):
    ours, theirs, nginx = servers
    name, what, *_ = shape

    def measure(server, _):
        path = f"/{name}" if server is nginx else server.path(name)
        return read_passes(server, path, readers=readers, ms=options.seconds * 1000,
                           file=server is nginx)
    # All was read once when it was checked: nobody needs another round to warm up.
    peers = {"reference": 3, "nginx": 0.5} if name != "single" else {"nginx": 0.5}
    used = [server for server in servers if server is ours or server.name in peers]
    samples = alternate(used, options.rounds, measure, warm_up=False)
    what = f"catch-up of {shape[5]} MiB, {readers} reader(s), {what}"
    figures = []
    for peer, aim in peers.items():
        found = ratios(samples["clouduler"], samples[peer])
        median = sorted(found)[len(found) // 2]
        kept = {key: samples[key] for key in ("clouduler", peer)}
        figures.append(Figure(f"read-{name}", what, "MiB/s", f"{aim}x {peer}", median >= aim, kept,
                              found))
    return figures


def reads(options):
    servers = [Clouduler(options.dir), Reference(options.dir), Nginx(options.dir)]
    ours, theirs, nginx = servers
    figures = []
    try:
        for server in servers:
            server.start()
        for shape in SHAPES:
            name = shape[0]
            records = fill(ours, *shape[:1], *shape[2:])
            data = read_whole(ours, ours.path(name))
            if shape[2] == "application/octet-stream":
                assert len(data) == records * shape[3], (len(data), records)
            else:
                assert data.count(b"r" * 98) == records, "records are missing"
            if name != "single":
                fill(theirs, *shape[:1], *shape[2:])
                other = read_whole(theirs, theirs.path(name))
                assert other.count(b"r" * 98) == data.count(b"r" * 98)
            (nginx.files / name).write_bytes(data)
            ours.settle()
            for readers in (1, 16):
                figures += figures_of(options, servers, shape, readers)
    finally:
        for server in servers:
            server.forget()
    return figures
