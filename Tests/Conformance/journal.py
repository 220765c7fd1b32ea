"""What happened in a scenario, as it was seen: a list of events that JSON can hold."""

import asyncio
import time

from dbus_fast import Variant


def plain(value):
    """A D-Bus value for JSON: bytes and variants become objects with one key that tells so."""
    if isinstance(value, Variant):
        return {"$": value.signature, "value": plain(value.value)}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, dict):
        return {"entries": [[plain(key), plain(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


class Journal:
    """The events of one scenario, each with its step and the program that saw it."""

    def __init__(self, quiet):
        self.quiet = quiet
        self.steps = []
        self.events = []
        self.news = asyncio.Event()
        self.touched = time.monotonic()

    def note(self, who, what, **details):
        """Adds an event; before the first step it is only there for the names that it tells."""
        event = {"step": len(self.steps) - 1, "who": who, "at": time.monotonic(), "what": what}
        self.events.append(event | details)
        if not self.is_report(event | details):
            self.touched = event["at"]
        self.news.set()

    @staticmethod
    def is_report(event):
        """Whether it says only that a device was heard again: a scan goes on saying so."""
        if event["what"] != "signal" or event["member"] != "PropertiesChanged":
            return False
        interface, changed, invalidated = event["body"]
        names = {name for name, _ in changed["entries"]}
        heard = "RSSI" in names and names <= {"RSSI", "ManufacturerData", "ServiceData"}
        return interface == "org.bluez.Device1" and heard and not invalidated

    async def settle(self):
        """Waits until nothing has happened for a while."""
        while (left := self.touched + self.quiet - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def until(self, claim, what, limit=15):
        """Waits until the claim is true; it is asked again after each event."""
        end = time.monotonic() + limit
        while not claim():
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), end - time.monotonic())
            except TimeoutError:
                raise WaitedInVain(what) from None

    def run(self, name, summary, names):
        """All that was seen until now."""
        return {
            "scenario": name,
            "summary": summary,
            "names": names,
            "steps": self.steps,
            "events": list(self.events),
        }


class WaitedInVain(Exception):
    """What a scenario waited for did not come."""
