"""Whoever stands between a program of Examples/Timesheets and a server: a line that loses answers, or somebody who gives their own. For scripts/timesheets."""

import http.client
import json

from local_server import LocalServer, QuietPages


class Line(LocalServer):
    """Hands requests on to a port of this machine, and answers back, unless `instead` has something else for one."""

    # What `instead` gives where the server is asked and nobody hears what it says; None hands the answer on, and a status, a body and fields are one of its own.
    LOST = "lost"

    class Page(QuietPages):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.server.asked.append(f"{self.command} {self.path}")
            instead = self.server.instead(self.command, self.path)
            if isinstance(instead, tuple):
                return self.say(*instead)
            answer = self.hand_on(body)
            if instead != Line.LOST:
                self.say(*answer)

        do_GET = do_POST = do_PUT = answer

        def hand_on(self, body):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            try:
                fields = {name: value for name, value in self.headers.items() if name.lower() not in ("connection", "content-length", "host")}
                connection.request(self.command, self.path, body or None, fields)
                answer = connection.getresponse()
                fields = {name: value for name, value in answer.getheaders() if name.lower() in ("content-type", "dpop-nonce", "www-authenticate")}
                return answer.status, answer.read(), fields
            finally:
                connection.close()

        def say(self, status, answer, fields):
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            if isinstance(status, str):
                # As it is, also where no server would say it.
                self.wfile.write(f"HTTP/1.1 {status} x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
                return
            self.give(status, body, fields)

    def __init__(self, port=None):
        super().__init__(Line.Page)
        self.port, self.asked = port, []
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.be_true()
        self.serve()

    def be_true(self):
        self.instead = lambda method, path: None

    def always(self, status, answer=b"", **fields):
        self.instead = lambda method, path: (status, answer, fields)

    def lose(self):
        self.instead = lambda method, path: Line.LOST
