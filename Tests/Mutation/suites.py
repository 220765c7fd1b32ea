"""Runs the tests with a mutant, and says whether they noticed it."""

import json
import os
import re
import resource
import selectors
import signal
import subprocess
import time

# The suites that notice a change of a module, its own first; the next one runs where it survives.
SUITES = {
    "BLE": ["BLETests", "MagicEightBallTests", "BlueZTests"],
    "BLESession": ["BLESessionTests", "MagicEightBallTests"],
    "BLEDBus": ["BLEDBusTests", "FuzzingTests", "BlueZTests"],
    "BlueZ": ["BlueZTests"],
    "MagicEightBall": ["MagicEightBallTests", "FuzzingTests"],
}
MAXIMUM_MEMORY_BYTES = 8 << 30


class Run:
    """One run of a suite, or of a test: how it ended, and how long it took."""

    def __init__(self, result, by, seconds, silence):
        self.result, self.by, self.seconds, self.silence = result, by, seconds, silence


class Suites:
    def __init__(self, tree, folder):
        self.tree = tree
        self.events = folder.resolve() / "events.jsonl"
        self.measured = {}

    def measure(self, name):
        """Runs a suite without a mutant: how long it may take follows from that."""
        for _ in range(2):
            run = self.run(name, 0, 600, 300)
            if run.result == "survived":
                self.measured[name] = run
                return run
        raise SystemExit(f"mutate: {name} fails without a mutant: {run.result}, {run.by}")

    def try_mutant(self, number, module):
        """The first run that notices a mutant, else the last one."""
        began = time.monotonic()
        for name in SUITES[module]:
            run = self.noticing(name, number)
            if run.result != "survived":
                break
        run.seconds = time.monotonic() - began
        return run

    def noticing(self, name, number):
        """A test that fails has to fail again, alone or with its suite; and time has to run out again."""
        if name not in self.measured:
            self.measure(name)
        measured = self.measured[name]
        limits = (max(60, 5 * measured.seconds), max(20, 5 * measured.silence))
        run = self.run(name, number, *limits)
        if run.result == "time":
            return self.run(name, number, *limits)
        if run.result != "test":
            return run
        # `Module.Suite/test()/File.swift:1:2`; any sign stands for what a pattern would take amiss.
        test = re.sub(r"[^A-Za-z0-9_]", ".", run.by.rpartition("/")[0])
        if test and self.run(test, number, *limits, is_whole=False).result != "survived":
            return run
        return self.run(name, number, *limits)

    def run(self, name, number, limit, silence_limit, is_whole=True):
        self.events.unlink(missing_ok=True)
        command = [self.tree.tests, "--testing-library", "swift-testing"]
        command += ["--filter", f"^{name}" + (r"\." if is_whole else "")]
        command += ["--event-stream-output-path", self.events, "--event-stream-version", "0"]
        environment = dict(os.environ, MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
        environment.setdefault("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8")
        process = subprocess.Popen(
            command,
            cwd=self.tree.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limit_process,
        )
        began = spoke = time.monotonic()
        longest = 0
        result = None
        rest = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while result is None:
                ready = selector.select(1)
                now = time.monotonic()
                longest = max(longest, now - spoke)
                if ready:
                    spoke = now
                    data = os.read(process.stdout.fileno(), 1 << 16)
                    rest = (rest + data).rpartition(b"\n")[2] if b"\n" in data else rest + data
                    if "✘".encode() in data:
                        result = "test"
                    elif not data:
                        result = "ended"
                elif now - began > limit or now - spoke > silence_limit:
                    result = "time"
        if result == "ended":
            status = process.wait()
            by = ""
            result = "survived" if status == 0 else "crash" if status < 0 else "test"
        else:
            by = self.failed_test() if result == "test" else ""
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        process.stdout.close()
        if result == "crash":
            by = signal.strsignal(-status)
        return Run(result, by, time.monotonic() - began, longest)

    def failed_test(self):
        """The first test that recorded an issue, by its ID; the file may come after the output."""
        for _ in range(20):
            for line in self.events.read_bytes().splitlines() if self.events.is_file() else []:
                try:
                    event = json.loads(line)["payload"]
                except ValueError:
                    continue
                if event.get("kind") == "issueRecorded" and "testID" in event:
                    return event["testID"]
            time.sleep(0.1)
        return ""


def limit_process():
    """A mutant that only takes memory ends by itself; none leaves its memory behind as a file."""
    resource.setrlimit(resource.RLIMIT_AS, (MAXIMUM_MEMORY_BYTES, MAXIMUM_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
