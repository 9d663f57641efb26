"""A program of a terminal in the hands of a person, for the scripts that try the example apps."""

import codecs
import os
import re
import subprocess
import threading

from trial import until


class TypedProgram:
    """The program, and all that it has shown; `settings` are environment variables."""

    def __init__(self, command, **settings):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0, env={**os.environ, **settings})
        self.text, self.seen = "", 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        # A part may end within a character.
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        while part := self.process.stdout.read(4096):
            self.text += decoder.decode(part)

    def shows(self, pattern, seconds=60):
        """Waits for words after those that were waited for before."""
        found = []

        def look():
            match = re.search(pattern, self.text[self.seen:])
            if match:
                found.append(match)
            return bool(match)

        until(look, f"the app shows {pattern!r}", seconds)
        self.seen += found[0].end()
        return found[0]

    def type(self, text):
        self.process.stdin.write(f"{text}\n".encode())

    def stop(self):
        self.process.kill()
        self.process.wait(timeout=15)
