"""A program that runs beside the checks."""

import queue
import re
import signal
import subprocess
import threading


class Program:
    def __init__(self, words, environment, seconds):
        self.seconds = seconds
        self.lines, self.seen = queue.Queue(), []
        self.process = subprocess.Popen(
            words,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self, pattern):
        """The first line that matches, of those that nobody has waited for."""
        self.seen = []
        while True:
            try:
                line = self.lines.get(timeout=self.seconds)
            except queue.Empty:
                raise AssertionError(self._without(pattern, f"said for {self.seconds} s")) from None
            if line is None:
                self.lines.put(None)
                raise AssertionError(self._without(pattern, "ended"))
            self.seen.append(line)
            if match := re.search(pattern, line):
                return match

    def _without(self, pattern, what):
        return f"{self.process.args} {what} without {pattern}:\n{''.join(self.seen)}"

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
