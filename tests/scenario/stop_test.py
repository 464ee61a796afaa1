"""A clean stop: SIGTERM ends live reads, outlasts stalled clients, and leaves nothing to replay."""
import re
import signal
import socket
import threading
import time

import requests

from conftest import wait_for


def stalled_clients(node, count):
    """Connections that stopped in the middle of what they were doing."""
    beginnings = [
        b"",
        b"GET /v1/stream/notes?offset=-1 HT",
        b"POST /v1/stream/notes HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nhalf",
        b"GET /v1/stream/big?offset=-1 HTTP/1.1\r\nHost: x\r\n\r\n" * 4,  # Never reads the answers.
        b"GET /v1/stream/notes?offset=now&live=sse HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/stream/notes?offset=now&live=long-poll HTTP/1.1\r\nHost: x\r\n\r\n",
    ]
    sockets = []
    for number in range(count):
        client = socket.create_connection(("127.0.0.1", node.port))
        client.sendall(beginnings[number % len(beginnings)])
        sockets.append(client)
    return sockets


def make_streams(node):
    node.cli("stream", "create", "notes")
    node.cli("stream", "create", "big", "--content-type", "application/octet-stream")
    piece = node.dir / "piece"
    piece.write_bytes(b"x" * 8_000_000)
    for _ in range(2):
        node.cli("stream", "append", "big", "--file", piece)


def replayed(node):
    """How many records the newest start found in the write-ahead logs of earlier lives, as it says."""
    return int(re.findall(r"(\d+) write-ahead log records replayed", node.output())[-1])


def test_stalled_clients_do_not_hold_up_a_stop(node):
    make_streams(node)
    node.restart(shutdown_timeout_sec=1)
    sockets = stalled_clients(node, 60)
    node.cli("stream", "append", "notes", input=b"last words\n")
    began = time.monotonic()
    assert node.terminate() == 0
    assert time.monotonic() - began < 6
    for client in sockets:
        client.close()
    node.start()
    assert node.cli("stream", "read", "notes") == b"last words\n"


def test_live_reads_end_with_503(node):
    node.cli("stream", "create", "notes")
    answers, started = [], threading.Barrier(5)

    def poll():
        with requests.Session() as session:
            started.wait()
            answer = session.get(node.stream("notes"), params={"offset": "now", "live": "long-poll"}, timeout=30)
            answers.append((answer.status_code, answer.headers.get("Cache-Control"), "Retry-After" in answer.headers))

    threads = [threading.Thread(target=poll) for _ in range(4)]
    for thread in threads:
        thread.start()
    events = requests.get(node.stream("notes"), params={"offset": "now", "live": "sse"}, stream=True, timeout=30)
    started.wait()
    wait_for("the long polls to wait", lambda: waiting(node) >= 4)
    began = time.monotonic()
    assert node.terminate() == 0
    assert time.monotonic() - began < 5
    for thread in threads:
        thread.join()
    assert answers == [(503, "no-store", True)] * 4
    list(events.iter_content(None))  # The event stream has an end.


def waiting(node):
    """How many long polls wait, as the node counts them."""
    metrics = requests.get(f"{node.admin_url}/metrics", timeout=5).text
    return sum(float(line.split()[-1]) for line in metrics.splitlines()
               if line.startswith("clouduler_long_polls"))


def test_readiness_fails_first_and_the_drain_is_served(node):
    node.cli("stream", "create", "notes")
    node.restart(shutdown_drain_sec=1.5)
    node.process.send_signal(signal.SIGTERM)
    wait_for("/ready to fail", lambda: not node.is_ready())
    assert requests.get(f"{node.admin_url}/ready", timeout=5).status_code == 503
    assert requests.get(f"{node.admin_url}/health", timeout=5).status_code == 200
    node.cli("stream", "append", "notes", input=b"while draining\n")
    assert node.wait_exit() == 0
    node.start()
    assert node.cli("stream", "read", "notes") == b"while draining\n"


def test_the_next_start_has_nothing_to_replay(node):
    node.cli("stream", "create", "notes")
    node.cli("stream", "append", "notes", input=b"".join(b"line %d\n" % i for i in range(200)))
    assert node.terminate() == 0
    node.start()
    assert replayed(node) == 0
    assert len(node.cli("stream", "read", "notes").splitlines()) == 200
