"""Servers over HTTP that the scripts are themselves, on this machine: a website, a client's own port, whoever stands between."""

import http.server
import threading


class LocalServer(http.server.ThreadingHTTPServer):
    """At a port of the loopback address, its own if none is named. It answers from `serve` on, by threads that hold nothing up when the script ends."""

    daemon_threads = True

    def __init__(self, pages, port=0):
        super().__init__(("127.0.0.1", port), pages)

    def serve(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        """Whoever asks is refused from now on."""
        self.shutdown()
        self.server_close()


class QuietPages(http.server.BaseHTTPRequestHandler):
    """What it is asked stands in no log."""

    def give(self, status, body, fields):
        """An answer in one: `body` is bytes, or text; its length is said."""
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in {**fields, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def landing(title):
    """Pages for addresses that browsers are sent back to: that title and nothing else, because what matters is the browser's own address."""
    class Landing(QuietPages):
        def do_GET(self):
            self.give(200, f"<!doctype html><title>{title}</title><h1>{title}</h1>", {"Content-Type": "text/html; charset=utf-8"})

    return Landing
