"""The command line, as a user types it."""
import json
import os
import re
import signal
import subprocess
import threading
import time

import pytest

from conftest import BINARY, free_port, wait_for


def run(*words, env=None, cwd=None, input=None):
    """Runs `clouduler WORDS` by itself, without a node."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("CLOUDULER_")}
    return subprocess.run([str(BINARY), *map(str, words)], capture_output=True, text=True, timeout=60,
                          env=clean | (env or {}), cwd=cwd, input=input)


def refused(done, *says, status=2):
    """It ended with one line on stderr, which says all of that."""
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr
    for text in says:
        assert text in done.stderr, done.stderr


# ---- before anything runs ------------------------------------------------------------------------


def test_help_teaches_by_examples():
    top = run("--help")
    assert top.returncode == 0 and top.stderr == ""
    assert "clouduler serve" in top.stdout and "stream append" in top.stdout
    for words in (["serve"], ["stream", "append"], ["stream", "tail"], ["admin", "nodes"], ["bench"], ["verify"]):
        done = run(*words, "--help")
        assert done.returncode == 0 and "Examples:\n  " in done.stdout, words


def test_the_version_is_printed():
    done = run("--version")
    assert done.returncode == 0 and re.fullmatch(r"clouduler \d+\.\d+\.\d+\n", done.stdout)


def test_completion_scripts_are_accepted_by_the_shell():
    script = run("completion", "bash").stdout
    asked = script + "\nCOMP_WORDS=(clouduler stream ''); COMP_CWORD=2; _clouduler; echo ${COMPREPLY[*]}\n" \
        "COMP_WORDS=(clouduler serve --wa); COMP_CWORD=2; _clouduler; echo ${COMPREPLY[*]}\n"
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True)
    streams, flags = done.stdout.splitlines()
    assert {"create", "append", "tail", "trim"} <= set(streams.split())
    assert flags == "--wal"
    assert "complete -c clouduler" in run("completion", "fish").stdout
    assert "#compdef clouduler" in run("completion", "zsh").stdout
    refused(run("completion", "tcsh"), "tcsh", "bash, zsh or fish")


@pytest.mark.parametrize("words, says", [
    (["serve", "--lissten", "127.0.0.1:1"], ["clouduler serve", "unknown flag --lissten"]),
    (["stream", "read", "a", "--backwards"], ["unknown flag --backwards"]),
    (["stream", "read"], ["NAME is required"]),
    (["stream", "tial", "a"], ["unknown command tial"]),
    (["stream"], ["which command?"]),
    (["serve", "--meta-url", "mysql://h/d"], ["--meta-url mysql://h/d", "sqlite:PATH"]),
    (["serve", "--meta-url", "postgres://u@h/d"], ["postgres://u@h/d", "arrives with the cluster"]),
    (["serve", "--storage", "s3://bucket"], ["--storage s3://bucket", "arrives with the cluster"]),
    (["serve", "--storage", "/plain/path"], ["--storage /plain/path", "file://DIR"]),
    (["serve", "--wal", "chain://x"], ["--wal chain://x", "chain+file://DIR"]),
    (["serve", "--http-address", "here"], ["--http-address here", "http://HOST:PORT"]),
    (["serve", "--listen", "127.0.0.1"], ["--listen 127.0.0.1", "ADDRESS:PORT"]),
    (["serve", "--listen", "127.0.0.1:70000"], ["127.0.0.1:70000", "65535"]),
    (["serve", "--listen", "0.0.0.0:4437"], ["--listen 0.0.0.0:4437", "--insecure-allow-remote"]),
    (["serve", "--admin-listen", "[::]:9090"], ["--admin-listen [::]:9090", "--insecure-allow-remote"]),
    (["serve", "--node-timeout-sec", "5"], ["--node-timeout-sec 5", "--heartbeat-interval-sec"]),
    (["serve", "--node-id", "0"], ["--node-id 0", "at least 1"]),
    (["serve", "--kafka-listen", "127.0.0.1:9092"], ["--kafka-listen", "not served"]),
    (["stream", "read", "a", "--endpoint", "127.0.0.1:4437"], ["127.0.0.1:4437", "http://HOST:PORT"]),
    (["stream", "create", "a", "--ttl", "soon"], ["--ttl soon", "whole number"]),
    (["stream", "create", "a", "--fork-offset", "x"], ["--fork-offset x", "--fork-from"]),
    (["stream", "trim", "a"], ["--before"]),
    (["verify", "--writers", "0"], ["--writers 0", "at least 1"]),
    (["verify", "--check", "/no/such/journal"], ["/no/such/journal", "No such file"]),
    (["bench", "fly"], ["fly", "append, read or sse"]),
])
def test_what_makes_no_sense_is_one_line_and_writes_nothing(tmp_path, words, says):
    refused(run(*words, cwd=tmp_path), *says)
    assert list(tmp_path.iterdir()) == []


def test_a_bad_variable_is_named_and_a_flag_wins_over_it(tmp_path):
    bad = {"CLOUDULER_SLOTS": "many"}
    refused(run("serve", env=bad, cwd=tmp_path), "CLOUDULER_SLOTS=many", "whole number")
    refused(run("serve", "--slots", "1", "--node-id", "x", env=bad, cwd=tmp_path), "--node-id x")
    assert list(tmp_path.iterdir()) == []


# ---- starting a node -----------------------------------------------------------------------------


def test_a_data_directory_that_is_in_use_is_refused_by_name(node):
    second = run("serve", "--listen", f"127.0.0.1:{free_port()}", "--admin-listen",
                 f"127.0.0.1:{free_port()}", cwd=node.dir)
    refused(second, "./data", "in use by process")
    assert node.is_ready()


def test_a_port_that_is_in_use_is_refused_and_nothing_is_written(node, tmp_path):
    empty = tmp_path / "empty"
    for flag, port in (("--listen", node.port), ("--admin-listen", node.admin_port)):
        empty.mkdir(exist_ok=True)
        ports = {"--listen": free_port(), "--admin-listen": free_port()} | {flag: port}
        words = [word for name, at in ports.items() for word in (name, f"127.0.0.1:{at}")]
        done = run("serve", *words, cwd=empty)
        refused(done, f"127.0.0.1:{port}", "in use")
        assert not (empty / "data").exists()


def test_a_newer_format_on_disk_is_refused_by_name(node):
    node.cli("stream", "create", "a")
    node.cli("stream", "append", "a", input=b"x\n")
    node.kill9()
    segments = sorted(path for path in (node.dir / "data/wal").rglob("*") if path.is_file())
    newer = [path for path in segments if bump_version(path)]
    assert newer, "no file of the write-ahead log has a version to raise"
    done = run("serve", "--listen", f"127.0.0.1:{node.port}", "--admin-listen",
               f"127.0.0.1:{node.admin_port}", cwd=node.dir)
    assert done.returncode == 2, done.stderr
    last = done.stderr.splitlines()[-1]
    assert any(path.name in last for path in newer) and "version" in last, done.stderr


def bump_version(path):
    """Raises the version behind each magic in the header of a segment, as a newer build would write it."""
    with path.open("r+b") as file:
        head = bytearray(file.read(4096))
        places = [place.end() for place in re.finditer(b"CWSG", head)]
        for place in places:
            head[place] += 1
        file.seek(0)
        file.write(head)
    return bool(places)


# ---- streams -------------------------------------------------------------------------------------


def test_lines_go_in_and_come_out(node):
    assert node.cli("stream", "create", "notes") == b""
    done = node.cli("stream", "append", "notes", input=b"one\ntwo\nthree", check=False)
    assert done.returncode == 0 and done.stdout == b""
    assert b"appended 3 records in 3 requests" in done.stderr
    assert node.cli("stream", "read", "notes") == b"one\ntwo\nthree"


def test_lines_of_json_are_messages(node):
    node.cli("stream", "create", "orders/eu", "--content-type", "application/json")
    lines = b'{"id":1, "big":123456789012345678901234567890}\n\n[1,2]\n"x"\n'
    done = node.cli("stream", "append", "orders/eu", input=lines, check=False)
    assert b"appended 3 records in 1 requests" in done.stderr
    assert node.cli("stream", "read", "/orders/eu") == lines.replace(b"\n\n", b"\n")
    bad = node.cli("stream", "append", "orders/eu", input=b'{"id":2}\n{"id"\n{"id":3}\n', check=False)
    assert bad.returncode == 1 and b"line 2 is not JSON" in bad.stderr
    assert node.cli("stream", "read", "orders/eu").splitlines()[-1] == b'{"id":2}'


def test_a_file_is_one_append(node, tmp_path):
    (tmp_path / "letter").write_bytes(bytes(range(256)) * 40)
    node.cli("stream", "create", "files", "--content-type", "application/octet-stream")
    done = node.cli("stream", "append", "files", "--file", tmp_path / "letter", check=False)
    assert b"appended 1 records in 1 requests" in done.stderr
    assert node.cli("stream", "read", "files") == bytes(range(256)) * 40


def test_a_producer_can_repeat_the_whole_command(node):
    node.cli("stream", "create", "orders", "--content-type", "application/json")
    command = ["stream", "append", "orders", "--producer", "import-7", "--batch", "2"]
    node.cli(*command, input=b"1\n2\n3\n")
    again = node.cli(*command, input=b"1\n2\n3\n4\n5\n", check=False)
    assert b"3 were there already" in again.stderr or b"4 were there already" in again.stderr
    node.cli(*command, "--producer-epoch", "1", input=b"9\n")
    read = node.cli("stream", "read", "orders").split()
    assert read[:3] == [b"1", b"2", b"3"] and read[-1] == b"9" and len(read) == len(set(read))


def test_reading_goes_on_from_the_offset_that_was_told(node):
    node.cli("stream", "create", "notes")
    node.cli("stream", "append", "notes", input=b"one\n")
    done = node.cli("stream", "read", "notes", check=False)
    offset = re.search(rb"next offset (\S+)", done.stderr)[1].decode()
    node.cli("stream", "append", "notes", input=b"two\n")
    assert node.cli("stream", "read", "notes", "--offset", offset) == b"two\n"


def test_head_ls_close_trim_and_delete(node):
    for name in ("a/1", "a/2", "b"):
        node.cli("stream", "create", name, "--ttl", "3600")
    node.cli("stream", "append", "a/1", input=b"one\ntwo\n")
    assert node.cli("stream", "ls") == b"a/1\na/2\nb\n"
    assert node.cli("stream", "ls", "--prefix", "a/", "--limit", "1") == b"a/1\n"
    listed = [json.loads(line) for line in node.cli("stream", "ls", "--json").splitlines()]
    assert [stream["name"] for stream in listed] == ["a/1", "a/2", "b"]

    head = json.loads(node.cli("stream", "head", "a/1", "--json"))
    assert head["content-type"] == "text/plain" and head["ttl"] == "3600"
    assert "next-offset" in node.cli("stream", "head", "a/1").decode()

    second = node.cli("stream", "append", "a/1", input=b"three\n", check=False).stderr.decode()
    offset = re.search(r"next offset (\S+)", second)[1]
    node.cli("stream", "append", "a/1", input=b"four\n")
    node.cli("stream", "trim", "a/1", "--before", offset)
    assert node.cli("stream", "read", "a/1", "--offset", offset) == b"four\n"
    assert node.cli("stream", "read", "a/1") == b"four\n"  # Its beginning is what is kept.
    gone = node.cli("stream", "read", "a/1", "--offset", f"{0:016}_{0:016}", check=False)
    assert gone.returncode == 1 and b"410" in gone.stderr

    node.cli("stream", "close", "a/1")
    refused_append = node.cli("stream", "append", "a/1", input=b"x\n", check=False)
    assert refused_append.returncode == 1 and b"a/1: 409" in refused_append.stderr
    node.cli("stream", "delete", "a/1")
    assert node.cli("stream", "ls") == b"a/2\nb\n"


def test_a_fork_begins_with_what_was_there(node):
    node.cli("stream", "create", "plan")
    node.cli("stream", "append", "plan", input=b"one\n")
    node.cli("stream", "create", "what-if", "--fork-from", "plan")
    node.cli("stream", "append", "what-if", input=b"two\n")
    assert node.cli("stream", "read", "what-if") == b"one\ntwo\n"
    assert node.cli("stream", "read", "plan") == b"one\n"


def test_errors_are_one_line_with_stream_status_and_reason(node):
    for words in (["read"], ["tail"], ["head"], ["close"], ["delete"]):
        done = node.cli("stream", *words, "nothing/here", check=False)
        assert done.returncode == 1 and done.stdout == b""
        assert done.stderr.count(b"\n") == 1
        assert b"nothing/here: 404" in done.stderr, done.stderr
    node.cli("stream", "create", "a")
    conflict = node.cli("stream", "create", "a", "--content-type", "application/json", check=False)
    assert conflict.returncode == 1 and b"a: 409" in conflict.stderr


def test_a_node_that_is_not_there_is_one_line():
    port = free_port()
    done = run("stream", "read", "a", "--endpoint", f"http://127.0.0.1:{port}")
    refused(done, f"127.0.0.1:{port}", "refused", status=1)


class Tail:
    """A `clouduler stream tail` in the background."""

    def __init__(self, node, *words):
        self.got = []
        self.process = subprocess.Popen(
            [str(BINARY), "stream", "tail", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=node.env | {"CLOUDULER_ENDPOINT": node.url})
        self.thread = threading.Thread(target=self.collect)
        self.thread.start()

    def collect(self):
        for line in self.process.stdout:
            self.got.append(line)

    def wait_for(self, *lines):
        wait_for(f"{lines} in {self.got}", lambda: self.got[-len(lines):] == list(lines))

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.thread.join()


@pytest.mark.parametrize("mode", [[], ["--long-poll"]])
def test_tail_follows_over_restarts_until_the_stream_ends(node, mode):
    node.cli("stream", "create", "notes")
    node.cli("stream", "append", "notes", input=b"one\n")
    tail = Tail(node, "notes", "--from-beginning", *mode)
    try:
        tail.wait_for(b"one\n")
        node.cli("stream", "append", "notes", input=b"two\n")
        tail.wait_for(b"one\n", b"two\n")
        node.kill9()
        node.start()
        node.cli("stream", "append", "notes", input=b"three\n")
        tail.wait_for(b"one\n", b"two\n", b"three\n")
        node.restart()
        node.cli("stream", "append", "notes", "--close", input=b"four\n")
        assert tail.process.wait(timeout=30) == 0
    finally:
        tail.end()
    assert tail.got == [b"one\n", b"two\n", b"three\n", b"four\n"]


def test_tail_begins_at_now_and_stops_after_a_count(node):
    node.cli("stream", "create", "orders", "--content-type", "application/json")
    node.cli("stream", "append", "orders", input=b"0\n")
    tail = Tail(node, "orders", "--count", "3")
    try:
        deadline = time.monotonic() + 30
        number = 0
        while tail.process.poll() is None and time.monotonic() < deadline:
            number += 1
            node.cli("stream", "append", "orders", input=b"%d\n" % number)
        assert tail.process.wait(timeout=1) == 0
    finally:
        tail.end()
    values = [int(line) for line in tail.got]
    assert len(values) == 3 and values[0] > 0 and values == list(range(values[0], values[0] + 3))


def test_append_waits_for_a_node_that_comes_back(node):
    node.cli("stream", "create", "notes")
    process = subprocess.Popen([str(BINARY), "stream", "append", "notes", "--producer", "p"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=node.env | {"CLOUDULER_ENDPOINT": node.url})
    process.stdin.write(b"one\n")
    process.stdin.flush()
    wait_for("the first line", lambda: node.cli("stream", "read", "notes") == b"one\n")
    node.kill9()
    process.stdin.write(b"two\n")
    process.stdin.close()
    node.start()
    assert process.wait(timeout=30) == 0, process.stderr.read()
    process.stderr.close()
    assert node.cli("stream", "read", "notes") == b"one\ntwo\n"


# ---- admin, bench --------------------------------------------------------------------------------


def test_admin_prints_tables_and_json(node):
    node.cli("stream", "create", "orders/eu")
    at = ["--admin-endpoint", node.admin_url]
    nodes = json.loads(node.cli("admin", "nodes", "--json", *at))["nodes"]
    assert nodes[0]["id"] == 1 and nodes[0]["fenced"] is False
    table = node.cli("admin", "nodes", *at).decode().splitlines()
    assert table[0].split()[0] == "id" and len(table) == 2
    assert node.cli("admin", "cluster", *at)
    facts = json.loads(node.cli("admin", "stream", "orders/eu", "--json", *at))
    assert facts["owner"]
    missing = node.cli("admin", "stream", "nope", *at, check=False)
    assert missing.returncode == 1 and b"404" in missing.stderr
    away = node.cli("admin", "nodes", "--admin-endpoint", f"http://127.0.0.1:{free_port()}", check=False)
    assert away.returncode == 1 and away.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", [
    ["append", "--connections", "4"],
    ["append", "--connections", "2", "--batch", "50"],
    ["read", "--connections", "4", "--streams", "1", "--fill", "256k"],
    ["sse", "--connections", "20", "--rate", "50"],
])
def test_bench_measures_and_cleans_up(node, words):
    done = node.cli("bench", *words, "--duration", "1.2", "--json", check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["records"] > 0 and result["errors"] == 0, result
    latency = result["latency_us"]
    assert latency["p50"] <= latency["p99"] <= latency["max"]
    assert b"records a second" in done.stderr
    assert node.cli("stream", "ls", "--prefix", "bench/") == b""
