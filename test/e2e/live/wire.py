"""What stands between two programs: connections that can be cut, and one address for several replicas."""

import contextlib
import http.client
import http.server
import itertools
import socket
import threading


class Wire:
    """Forwards connections to a port of 127.0.0.1, until they are cut."""

    def __init__(self, port):
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._open = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Breaks every connection that is open now; new ones are accepted. Returns how many it were."""
        with self._lock:
            sockets, self._open = self._open, set()
        for end in sockets:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        return len(sockets) // 2

    def close(self):
        self._listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:  # closed
                return
            try:
                far = socket.create_connection(self._target)
            except OSError:
                near.close()
                continue
            with self._lock:
                self._open |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._open -= {source, sink}


class Balancer:
    """One address for several HTTP servers, which take turns by request."""

    def __init__(self, host_ports):
        turns = itertools.cycle(host_ports)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with contextlib.closing(http.client.HTTPConnection(next(turns), timeout=5)) as replica:
                    replica.request("POST", self.path, body, {"Content-Type": self.headers["Content-Type"]})
                    answer = replica.getresponse()
                    text = answer.read()
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
