"""Whole processes: the built binary, real ports, real files. See Node below."""
import ctypes
import os
import pathlib
import random
import signal
import socket
import subprocess
import time

import pytest
import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("CLOUDULER_BINARY", ROOT / "build/release/clouduler"))
# How long a slow machine may take for what takes milliseconds; no test waits this long when all is well.
PATIENCE_SEC = 30

_given_out = set()


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def free_port():
    """A port that nothing listens on, below the range that outgoing connections are given."""
    while True:
        port = random.randrange(15000, 32000)
        if port not in _given_out and is_free(port):
            _given_out.add(port)
            return port


def wait_for(what, condition, patience_sec=PATIENCE_SEC):
    """Polls until condition() is truthy and returns its value; fails naming `what`."""
    deadline = time.monotonic() + patience_sec
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            pytest.fail(f"waited {patience_sec} s in vain for {what}")
        time.sleep(0.02)


def _end_with_parent():
    """In the child: a test run that is killed leaves no node behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Node:
    """One `clouduler serve` on ports of its own, with its data below `dir`.

    Flags are given as keywords: Node(dir, long_poll_timeout_sec=0.5, wal="file://x") and stay the
    same over restarts; start(heartbeat_interval_sec=1) changes them for good. A flag without a value is
    True; None leaves a flag out.
    """

    def __init__(self, dir, env=None, **flags):
        self.dir = pathlib.Path(dir)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.log = self.dir / "node.log"
        self.port, self.admin_port = free_port(), free_port()
        self.flags = {
            "listen": f"127.0.0.1:{self.port}",
            "admin_listen": f"127.0.0.1:{self.admin_port}",
            "no_kafka": True,
        } | flags
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("CLOUDULER_")} | (env or {})
        self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def admin_url(self):
        return f"http://127.0.0.1:{self.admin_port}"

    def stream(self, name):
        """The address of the stream `name`."""
        return f"{self.url}/v1/stream/{name.lstrip('/')}"

    def command(self):
        words = [str(BINARY), "serve"]
        for flag, value in self.flags.items():
            if value is True:
                words.append("--" + flag.replace("_", "-"))
            elif value is not None:
                words += ["--" + flag.replace("_", "-"), str(value)]
        return words

    def start(self, wait=True, **flags):
        """Starts the process; with `wait`, returns when /ready says so. Fails if it ends before."""
        assert self.process is None, "this node is already running"
        self.flags |= flags
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=self.dir, env=self.env, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, preexec_fn=_end_with_parent)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self):
        def ready_or_ended():
            if self.process.poll() is not None:
                pytest.fail(f"the node ended with {self.process.returncode} before it was ready:\n{self.output()}")
            return self.is_ready()
        wait_for(f"{self.admin_url}/ready", ready_or_ended)

    def is_ready(self):
        try:
            return requests.get(f"{self.admin_url}/ready", timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    def output(self):
        """All that the process has written to stdout and stderr, over all its lives."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def kill9(self):
        """Ends the process as a power cut would, but for what the kernel still writes."""
        self._signal(signal.SIGKILL)

    def terminate(self):
        """A clean stop; returns the exit code."""
        return self._signal(signal.SIGTERM)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def wait_exit(self, patience_sec=PATIENCE_SEC):
        """Waits until the process ends by itself; returns the exit code."""
        code = self.process.wait(timeout=patience_sec)
        self.process = None
        return code

    def _signal(self, number):
        self.process.send_signal(number)
        return self.wait_exit()

    def restart(self, **flags):
        self.terminate()
        return self.start(**flags)

    def cli(self, *words, input=None, check=True):
        """Runs `clouduler WORDS` against this node; returns what it printed, as bytes."""
        done = subprocess.run(
            [str(BINARY), *map(str, words)], input=input, capture_output=True, timeout=60,
            cwd=self.dir, env=self.env | {"CLOUDULER_ENDPOINT": self.url})
        if check:
            assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout if check else done


def pytest_configure(config):
    if not BINARY.exists():
        raise pytest.UsageError(f"{BINARY} is not built: run ./dev build, or ./dev test scenario")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """A failed test shows the end of every node's output."""
    report = (yield).get_result()
    for node in getattr(item, "nodes", []) if report.failed else []:
        report.sections.append((f"output of {node.dir.name}", node.output()[-8000:]))


@pytest.fixture
def new_node(request, tmp_path):
    """Makes nodes that are not started yet: new_node("a", node_id=2). All end with the test."""
    request.node.nodes = []

    def make(name="node", **flags):
        node = Node(tmp_path / name, **flags)
        request.node.nodes.append(node)
        return node

    yield make
    for node in request.node.nodes:
        if node.process is not None:
            node.process.kill()
            node.process.wait()


@pytest.fixture
def node(new_node):
    """A started node with default flags, files under its own temporary directory."""
    return new_node().start()
