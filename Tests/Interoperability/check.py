"""One check of the list: a function of a world, that fails by AssertionError."""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    run: typing.Callable
    # The world that alone can show it, and why.
    only: str | None = None
    because: str | None = None
    # The options of `virtual-bluez`.
    daemon: tuple[str, ...] = ()
    # Left out unless all are wanted.
    extra: bool = False


def check(run):
    """A check for each world."""
    return Check(run.__name__.replace("_", " "), run)
