"""How soon a program is there, and how big it is: the two commands beside C that connects and calls once."""

import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from client import Service, baseline, virtual_bluez
from figures import Row

NAME = "start"
PROGRAMS = ["eightball-ask", "eightball-answer", "virtual-bluez"]


def run_to_end(*words):
    """Milliseconds from a program's start to its end."""
    begin = time.monotonic_ns()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True, timeout=60)
    return (time.monotonic_ns() - begin) / 1e6


def run_to_call(*words):
    """Milliseconds from a program's start to its first call on the bus: one that takes it in, and replies to
    nothing."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.settimeout(60)
        listener.bind(f"{folder}/bus")
        listener.listen()
        environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/bus"}
        begin = time.monotonic_ns()
        program = subprocess.Popen(
            words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(60)
                admit(connection)
                return (time.monotonic_ns() - begin) / 1e6
        finally:
            program.kill()
            program.wait()


def admit(connection):
    """Authenticates a client of the bus, and returns when its first message comes.

    Source: D-Bus Specification, Authentication Protocol.
    """
    replies = {b"AUTH": b"OK " + b"0" * 32, b"NEGOTIATE_UNIX_FD": b"AGREE_UNIX_FD"}
    told = b""
    while b"BEGIN\r\n" not in told:
        line, found, rest = told.lstrip(b"\0").partition(b"\r\n")
        if found:
            connection.sendall(replies[line.split()[0]] + b"\r\n")
            told = rest
        else:
            told += received(connection)
    if told.endswith(b"BEGIN\r\n"):
        received(connection)


def received(connection):
    data = connection.recv(4096)
    assert data, "the program has left the bus"
    return data


def stripped_size(program):
    """Megabytes of a program without its symbols."""
    with tempfile.TemporaryDirectory() as folder:
        copy = f"{folder}/program"
        subprocess.run(["strip", "-o", copy, program], check=True)
        return pathlib.Path(copy).stat().st_size / 1e6


def resident_size(process):
    """Megabytes of memory that a process had at most."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status).group(1)) * 1024 / 1e6


def memory():
    """Of programs that are connected, have seen a ball, and wait."""
    with virtual_bluez(2) as world, contextlib.ExitStack() as programs:
        floor = programs.enter_context(Service(baseline("start_floor")))
        floor.figures()
        answer = programs.enter_context(Service("eightball-answer", "--adapter", "hci1"))
        answer.wait("waiting for questions")
        ask = programs.enter_context(Service("eightball-ask", "--adapter", "hci0", "--list"))
        ask.wait("Magic 8-Ball")
        sizes = map(resident_size, (floor.process, ask.process, answer.process, world.process))
        return dict(zip(["C", *PROGRAMS], ([size] for size in sizes), strict=True))


def run(quick, real):
    floor = baseline("start_floor")
    measures = [
        ("start to end of --help", run_to_end, [floor, "--help"], ["eightball-ask", "--help"]),
        (
            "start to first call",
            run_to_call,
            [floor],
            ["eightball-ask", "--adapter", "hci0", "Why?"],
        ),
    ]
    rows = []
    for name, measure, c, ours in measures:
        rounds = {"C": [], "ours": []}
        for _ in range(5 if quick else 30):
            rounds["C"].append(measure(*c))
            rounds["ours"].append(measure(*ours))
        goal = ["≤ 2.0"] if measure is run_to_call else []
        rows.append(Row(f"eightball-ask: {name}", "ms", rounds, ("ours", "C", *goal)))
    kept = memory()
    for program in PROGRAMS:
        size = {"C": [stripped_size(floor)], "ours": [stripped_size(shutil.which(program))]}
        rows.append(Row(f"{program}: size, stripped", "MB", size))
        goals = [] if program == "virtual-bluez" else [("ours", None, "≤ 12")]
        rows.append(
            Row(f"{program}: memory", "MB", {"C": kept["C"], "ours": kept[program]}, *goals)
        )
    return rows
