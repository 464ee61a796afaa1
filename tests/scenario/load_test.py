"""Many clients, slow clients, large bodies: the node's memory and its other clients must not notice."""
import asyncio
import resource
import time
import urllib.request

import pytest

IDLE = 10_000  # Half of them SSE readers, half long polls.
STALLED = 500


@pytest.fixture(autouse=True)
def many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def call(method, url, body=None, kind="text/plain"):
    request = urllib.request.Request(url, data=body, method=method, headers={"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status, dict(answer.headers), answer.read()


def rss_kib(node):
    for line in open(f"/proc/{node.process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def address(node):
    host, port = node.url.removeprefix("http://").split(":")
    return host, int(port)


async def request(node, text):
    reader, writer = await asyncio.open_connection(*address(node))
    writer.write(text.encode())
    await writer.drain()
    return reader, writer


async def gathered(count, make, at_once=200):
    gate = asyncio.Semaphore(at_once)

    async def one(index):
        async with gate:
            return await make(index)
    return await asyncio.gather(*(one(index) for index in range(count)))


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: h\r\n\r\n"


def test_ten_thousand_idle_live_readers_each_get_each_record(new_node):
    node = new_node(long_poll_timeout_sec=300, sse_max_duration_sec=600).start()
    call("PUT", node.stream("news"))
    path = "/v1/stream/news?offset=0000000000000000_0000000000000000&live="
    before = rss_kib(node)

    async def run():
        readers = await gathered(IDLE, lambda i: request(node, get(path + ("sse" if i % 2 else "long-poll"))))
        # An SSE reader is told at once where it stands; a long poll is silent until there is news.
        for reader, _ in readers[1::2]:
            await asyncio.wait_for(reader.readuntil(b"upToDate"), 120)
        used = rss_kib(node) - before
        loop = asyncio.get_running_loop()
        for record in (b"first<1>", b"second<2>"):
            await loop.run_in_executor(None, call, "POST", node.stream("news"), record)
        for index, (reader, _) in enumerate(readers):
            heard = await asyncio.wait_for(reader.readuntil(b"<2>" if index % 2 else b"<1>"), 120)
            assert heard.count(b"first<1>") == 1
        for _, writer in readers:
            writer.transport.abort()
        return used
    used = asyncio.run(run())
    print(f"{used / IDLE:.1f} KiB a connection")
    assert used / IDLE < 32
    assert call("GET", node.stream("news") + "?offset=-1")[2] == b"first<1>second<2>"


def test_clients_that_never_read_hold_nothing_and_nobody(new_node):
    node = new_node().start()
    call("PUT", node.stream("big"))
    for _ in range(8):
        call("POST", node.stream("big"), b"x" * (4 << 20))
    before = rss_kib(node)

    async def run():
        stuck = await gathered(STALLED, lambda _: request(node, get("/v1/stream/big?offset=-1")))
        await asyncio.sleep(1)
        began = time.monotonic()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, call, "PUT", node.stream("other"))
        await loop.run_in_executor(None, call, "POST", node.stream("other"), b"still here")
        took = time.monotonic() - began
        used = rss_kib(node) - before
        for _, writer in stuck:
            writer.transport.abort()
        return took, used
    took, used = asyncio.run(run())
    print(f"{used >> 10} MiB for {STALLED} that never read; an append of another took {took:.3f} s")
    assert took < 20, "others wait for clients that do not read"
    assert used < 700 << 10, f"{used >> 10} MiB for clients that do not read"


def test_clients_that_send_a_byte_a_second_are_let_go(new_node):
    node = new_node().start()

    async def run():
        slow = await gathered(STALLED, lambda _: request(node, "P"))

        async def drip(reader, writer):
            for letter in "OST /v1/stream/x HTTP/1.1\r\nHost: h\r\n" * 2:
                try:
                    writer.write(letter.encode())
                    await writer.drain()
                except ConnectionError:
                    return True
                await asyncio.sleep(1)
                if reader.at_eof():
                    return True
            return False
        feeds = [asyncio.create_task(drip(*one)) for one in slow]
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, call, "PUT", node.stream("other"))
        ended = await asyncio.wait_for(asyncio.gather(*feeds), 60)
        for _, writer in slow:
            writer.transport.abort()
        return ended
    assert all(asyncio.run(run()))
    assert call("HEAD", node.stream("other"))[0] == 200


def test_a_body_beyond_the_limit_is_refused_without_reading_it_all(new_node):
    node = new_node().start()
    call("PUT", node.stream("x"))
    before = rss_kib(node)

    async def run():
        reader, writer = await request(
            node, f"POST /v1/stream/x HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\n"
                  f"Content-Length: {64 << 20}\r\n\r\n")
        try:
            for _ in range(64):
                writer.write(b"x" * (1 << 20))
                await writer.drain()
        except ConnectionError:
            pass  # It stopped listening after its answer.
        head = await asyncio.wait_for(reader.read(64), 30)
        writer.transport.abort()
        return head
    assert b"413" in asyncio.run(run())
    assert rss_kib(node) - before < 64 << 10
    assert call("GET", node.stream("x") + "?offset=-1")[2] == b""


def test_a_reader_of_a_long_backlog_costs_no_more_than_the_caches(new_node):
    node = new_node(log_cache_bytes="16MiB", block_cache_bytes="16MiB", upload_bytes="8MiB").start()
    call("PUT", node.stream("long"), kind="application/octet-stream")
    piece = b"0123456789abcdef" * (8 << 16)  # 8 MiB
    pieces = 64
    for _ in range(pieces):
        call("POST", node.stream("long"), piece, kind="application/octet-stream")
    offset, read, most = "-1", 0, 0
    while True:
        _, headers, body = call("GET", f"{node.stream('long')}?offset={offset}")
        read += len(body)
        most = max(most, rss_kib(node))
        offset = headers["Stream-Next-Offset"]
        if headers.get("Stream-Up-To-Date") == "true":
            break
    print(f"at most {most >> 10} MiB while reading {read >> 20} MiB with caches of 32 MiB")
    assert read == pieces * len(piece)
    assert most < 350 << 10, f"{most >> 10} MiB while reading {read >> 20} MiB"
