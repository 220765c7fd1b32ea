"""Errors of an application, on their way to the central."""

from application import Fault
from stage import scenario

FAULTS = [
    *[
        Fault("Failed", text)
        for text in (
            "0x80",
            "0x81",
            "0x9f",
            "128",
            "0x90 and more",
            "no",
            "",
            "0x7f",
            "0xa0",
            "0xfd",
        )
    ],
    *[
        Fault(name, "")
        for name in (
            "NotPermitted",
            "NotAuthorized",
            "NotSupported",
            "InvalidValueLength",
            "InvalidOffset",
            "InvalidArguments",
            "InProgress",
            "NotAvailable",
            "DoesNotExist",
            "ImproperlyConfigured",
            "org.freedesktop.DBus.Error.UnknownMethod",
            "org.example.Error.OfItsOwn",
        )
    ],
]


@scenario
async def write_errors(stage):
    """Each error as the answer to WriteValue."""
    app, central, ball = await stage.linked()
    question = central.find("Question", ball)
    for fault in FAULTS:
        app.answers("question", "WriteValue", fault)
        async with stage.step(f"{fault.name} {fault.text!r}"):
            await central.write(question, b"Will it?", type="request")


@scenario
async def read_errors(stage):
    """Each error as the answer to ReadValue."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    for fault in FAULTS:
        app.answers("answer", "ReadValue", fault)
        async with stage.step(f"{fault.name} {fault.text!r}"):
            await central.read(answer)


@scenario
async def reliable_write_errors(stage):
    """Errors as the answer to a reliable write, which asks the application twice."""
    app, central, ball = await stage.linked()
    question = central.find("Question", ball)
    for fault in (Fault("Failed", "0x90"), Fault("NotAuthorized"), Fault("InvalidValueLength")):
        app.answers("question", "WriteValue", fault)
        async with stage.step(f"{fault.name} {fault.text!r}"):
            await central.write(question, b"Will it?", type="reliable")


@scenario
async def command_errors(stage):
    """Errors as the answer to what was sent without asking for one."""
    app, central, ball = await stage.linked()
    for name, kind in (("wish", "command"), ("wish", "request"), ("both", "request")):
        app.answers(name, "WriteValue", Fault("Failed", "0x90"))
        async with stage.step(f"a {kind} to {name}"):
            await central.write(central.find(name.title(), ball), b"Refuse me", type=kind)
