"""A proxy before a node that keeps its promises, which breaks them: for proving that verify notices.

It lies once about one stream: on the way in (side "write": what is acknowledged is not what is kept) or
on the way out (side "read": what is kept is not what a reader gets).
"""
import http.client
import http.server
import json
import re
import threading

LIES = {  # What it does -> what verify must call it.
    "drop": "lost",
    "repeat": "duplicated",
    "swap": "reordered",
    "tear": "torn",
    "invent": "phantom",
}
AFTER_RECORDS = 20  # The lie comes when the stream has some history.


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def invented_like(record):
    """A record that is whole in every way, of a writer that does not exist."""
    made = dict(record, w=4242, r=0, i=0, n=1)
    made["h"] = "%016x" % fnv1a(f"{made['run']} 4242 0 0 1 {made['pad']}")
    return made


def lie_about(records, lie):
    """The records of one answer, falsified."""
    middle = len(records) // 2
    if lie == "drop":
        return records[:middle] + records[middle + 1:]
    if lie == "repeat":
        return records[:middle] + [records[middle]] + records[middle:]
    if lie == "swap":
        return [records[-1]] + records[1:-1] + [records[0]]
    if lie == "tear":
        torn = dict(records[middle], pad=records[middle]["pad"][:3])
        return records[:middle] + [torn] + records[middle + 1:]
    return records + [invented_like(records[0])]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def upstream(self, body=None, path=None, method=None):
        """Asks the node; returns the open answer, its connection beside it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.upstream_port, timeout=60)
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in {"host", "connection", "content-length"}}
        connection.request(method or self.command, path or self.path, body=body, headers=headers)
        return connection, connection.getresponse()

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in {"transfer-encoding", "content-length", "connection", "date", "server"}:
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status != 204:
            self.wfile.write(body)

    def is_victim(self):
        return re.search(r"/0(\?|$)", self.path) is not None

    def relay(self, falsify=None, body=None):
        connection, got = self.upstream(body)
        text = got.read()
        connection.close()
        if falsify and got.status == 200:
            text = falsify(text)
        self.answer(got.status, got.getheaders(), text)

    def relay_events(self):
        connection, got = self.upstream()
        self.send_response(got.status)
        for name, value in got.getheaders():
            if name.lower() in {"content-type", "stream-sse-data-encoding"}:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while piece := got.read1(65536):
                self.wfile.write(piece)
        except OSError:
            pass  # The reader has enough.
        finally:
            connection.close()

    def do_GET(self):
        if "live=sse" in self.path:
            self.relay_events()
        elif self.server.side == "read" and self.is_victim() and "offset=-1" in self.path:
            self.relay(self.falsified)
        else:
            self.relay()

    def falsified(self, text):
        records = json.loads(text)
        if len(records) < AFTER_RECORDS:
            return text
        self.server.lies += 1
        return json.dumps(lie_about(records, self.server.lie)).encode()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.server
        if server.side != "write" or not self.is_victim():
            return self.relay(body=body)
        with server.lock:
            server.appends += 1
            if server.lies == 0 and server.appends > AFTER_RECORDS and self.lie_about_append(body):
                server.lies += 1
                return None
            self.relay(body=body)
            if server.held:
                self.send_quietly(server.held)
                server.held = None
        return None

    def lie_about_append(self, body):
        """False: this append does not suit the lie; the next one may."""
        if "Producer-Id" in self.headers:
            return False
        lie, records = self.server.lie, json.loads(body)
        if lie == "drop":
            self.pretend()
        elif lie == "repeat":
            self.send_quietly(body)
            self.relay(body=body)
        elif lie == "swap":  # Acknowledged now, written after the next one.
            self.pretend()
            self.server.held = body
        elif lie == "tear":
            if not isinstance(records, list) or len(records) < 2:
                return False
            self.relay(body=json.dumps(records[:-1]).encode())
        else:
            records = records if isinstance(records, list) else [records]
            self.relay(body=json.dumps(records + [invented_like(records[0])]).encode())
        return True

    def send_quietly(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.upstream_port, timeout=60)
        connection.request("POST", self.path, body=body, headers={"Content-Type": "application/json"})
        connection.getresponse().read()
        connection.close()

    def pretend(self):
        """Acknowledges what was never written."""
        connection, got = self.upstream(method="HEAD")
        tail = got.getheader("Stream-Next-Offset")
        connection.close()
        first, second = tail.split("_")
        self.answer(204, [("Stream-Next-Offset", f"{first}_{int(second) + 1:016}")], b"")

    def do_HEAD(self):
        self.relay()

    def do_PUT(self):
        self.relay(body=self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_DELETE(self):
        self.relay()


class LyingProxy(http.server.ThreadingHTTPServer):
    """Listens on a port of its own while the with-block lasts."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, upstream_port, side, lie):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream_port, self.side, self.lie = upstream_port, side, lie
        self.lock, self.appends, self.lies, self.held = threading.Lock(), 0, 0, None
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # Connections that are cut are part of the game.
