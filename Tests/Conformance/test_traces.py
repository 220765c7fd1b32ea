"""Merging runs into a trace, its text, and what is found when a run is held against it."""

import pathlib
import unittest

import known
from compare import Difference, compare
from normal import Line, Normaliser, Step
from tracefile import merge, parse, write

LISTED = pathlib.Path(__file__).parent.parent.parent / "Docs" / "Conformance.md"


def run(*heads, lane="central"):
    return [
        Step(
            "a step",
            {lane: [Line(*head) if isinstance(head, tuple) else Line(head) for head in heads]},
        )
    ]


def differences(runs, played):
    """What is found, over the text of the trace and back."""
    trace = parse("name", write(merge("name", ["name"], runs)))
    return [difference.text for difference in compare(trace, played)]


class Traces(unittest.TestCase):
    def test_a_run_is_equal_to_the_trace_of_itself(self):
        played = run("call one", ("added hci0/x", ["Device1", 'Device1.Name = "x"']), "call one")
        self.assertEqual(differences([played, played], played), [])

    def test_a_line_that_is_always_there_is_missed(self):
        self.assertEqual(differences([run("one", "two")] * 3, run("one")), ["missing: two"])

    def test_a_line_that_never_was_there_is_too_much(self):
        self.assertEqual(differences([run("one")] * 3, run("one", "two")), ["extra: two"])

    def test_the_same_line_twice_is_not_once(self):
        self.assertEqual(differences([run("one", "one")], run("one")), ["missing: one"])

    def test_an_order_that_always_held_has_to_hold(self):
        found = differences([run("one", "two")] * 3, run("two", "one"))
        self.assertEqual(found, ["order: two comes before one"])

    def test_an_order_that_varied_may_vary(self):
        runs = [run("one", "two", "three"), run("two", "one", "three")]
        self.assertEqual(differences(runs, run("two", "one", "three")), [])
        self.assertEqual(differences(runs, run("one", "two", "three")), [])
        found = differences(runs, run("one", "three", "two"))
        self.assertEqual(found, ["order: three comes before two"])

    def test_many_that_vary_survive_the_text(self):
        names = [f"line{number}" for number in range(40)]
        runs = [run("first", *names), run(*names[:20], "first", *names[20:])]
        for place in (0, 7, 20):
            self.assertEqual(differences(runs, run(*names[:place], "first", *names[place:])), [])
        found = differences(runs, run(*names[:30], "first", *names[30:]))
        self.assertEqual(found, ["order: first comes after line20"])

    def test_a_line_that_was_not_always_there_may_be_absent(self):
        runs = [run("one", "changed hci0 Adapter1"), run("one")]
        self.assertEqual(differences(runs, run("one")), [])
        self.assertEqual(differences(runs, run("one", "changed hci0 Adapter1")), [])

    def test_alternatives_are_not_all_absent(self):
        both = ("changed hci0 Device1", ["Connected = false", "ServicesResolved = false"])
        one = ("changed hci0 Device1", ["Connected = false"])
        other = ("changed hci0 Device1", ["ServicesResolved = false"])
        runs = [run(both), run(other, one)]
        self.assertEqual(differences(runs, run(both)), [])
        self.assertEqual(differences(runs, run(other, one)), [])
        for wrong in (run(), run(one), run(both, other)):
            found = differences(runs, wrong)
            self.assertTrue(found and found[0].startswith("never seen so: "), found)

    def test_what_varies_without_relation_may_vary_in_any_way(self):
        power = ("changed hci0 Adapter1", ["Powered = true"])
        name = ("changed hci0 Adapter1", ['Alias = "x"'])
        runs = [run(power), run(name)]
        self.assertEqual(differences(runs, run()), [])
        self.assertEqual(differences(runs, run(power, name)), [])

    def test_reports_of_a_scan_come_as_they_like_where_one_was_seen(self):
        report = Line("changed hci0/<hci1> Device1", ["RSSI = <rssi>"], anytime=True)
        scan = [Step("a step", {"central": [Line("one"), report]})]
        self.assertEqual(differences([scan], run("one")), [])
        self.assertEqual(
            differences([scan], [Step("a step", {"central": [report, Line("one")]})]), []
        )
        found = differences([run("one")], scan)
        self.assertEqual(found, ["extra: changed hci0/<hci1> Device1 | RSSI = <rssi>"])

    def test_another_value_is_told_as_such(self):
        there, here = ("changed hci0 A", ["B = 1", "C = 2"]), ("changed hci0 A", ["B = 1", "C = 3"])
        self.assertEqual(
            differences([run(there)], run(here)),
            ["missing in changed hci0 A: C = 2", "extra in changed hci0 A: C = 3"],
        )

    def test_programs_are_not_mixed(self):
        found = differences([run("one", lane="app")], run("one"))
        self.assertEqual(found, ["missing: one", "extra: one"])

    def test_long_values_survive_the_text(self):
        values = [f"Device1.Property{number} = {'x' * 40}" for number in range(20)]
        played = run(("added hci0/<hci1>", values), ("changed hci0 A", ["x" * 300]))
        self.assertEqual(differences([played], played), [])

    def test_a_step_that_was_not_reached_is_missed(self):
        self.assertEqual(differences([run("one")], []), ["missing: this step, 1 in all"])


class NormalForm(unittest.TestCase):
    def setUp(self):
        names = {
            "adapters": {"hci0": "00:AA:01:00:00:00", "hci1": "00:AA:01:01:00:01"},
            "uuids": {"Ball": "5eb10000-7c1f-4d2a-9e0b-3a52c6d1f08e"},
        }
        self.normal = Normaliser({"scenario": "any", "names": names, "steps": [], "events": []})

    def test_paths_are_named_by_what_they_stand_for(self):
        device = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
        names = self.normal.names
        names.know(device + "/service0010", "5eb10000-7c1f-4d2a-9e0b-3a52c6d1f08e")
        names.know(device + "/service0020", "5eb10000-7c1f-4d2a-9e0b-3a52c6d1f08e")
        self.assertEqual(names.path(device), "hci0/<hci1>")
        self.assertEqual(names.path(device + "/service0010"), "hci0/<hci1>/<service:Ball>")
        self.assertEqual(names.path(device + "/service0020"), "hci0/<hci1>/<service:Ball#2>")

    def test_addresses_in_texts_are_named(self):
        self.assertEqual(self.normal.names.text("00-AA-01-01-00-01"), '"<hci1>"')

    def test_lengths_of_time_are_classes(self):
        shown = [self.normal.after(seconds) for seconds in (0.9, 2.4, 5.03, 30.4, 40.7)]
        self.assertEqual(shown, ["", " after 2 s", " after 5 s", " after 30 s", " after 40 s"])

    def test_values_keep_the_types_that_matter(self):
        self.assertEqual(self.normal.value({"$": "q", "value": 517}), "uint16 517")
        self.assertEqual(self.normal.value({"$": "y", "value": 5}), "byte 5")
        self.assertEqual(self.normal.value({"bytes": "00ff"}), "[00 ff]")
        self.assertEqual(self.normal.value({"bytes": "78" * 510}), '510 × "x"')


class KnownDifferences(unittest.TestCase):
    def test_rows_fit_by_version_scenario_and_text(self):
        row = known.Row(["5.66"], "connect*", "* missing in added *: Device1.Flags = [*]", "")
        text = "a step · central · missing in added hci0/<hci1>: Device1.Flags = [06]"
        self.assertTrue(row.fits("5.66", "connect_again", text))
        self.assertFalse(row.fits("5.82", "connect_again", text))
        self.assertFalse(row.fits("5.66", "discovery", text))
        self.assertFalse(row.fits("5.66", "connect", text + " more"))

    def test_a_row_that_fits_nothing_is_told(self):
        rows = known.Known([known.Row(["5.66", "5.82"], "connect", "step · central · extra: one", "")])
        difference = Difference("step", "central", "extra: one")
        self.assertEqual(len(list(rows.unused("5.66", ["connect"], whole=False))), 1)
        self.assertTrue(rows.excuses("5.66", "connect", difference))
        self.assertFalse(rows.excuses("5.87", "connect", difference))
        self.assertEqual(list(rows.unused("5.66", ["connect"], whole=False)), [])
        self.assertEqual(len(list(rows.unused("5.82", ["connect"], whole=False))), 1)
        self.assertEqual(list(rows.unused("5.82", ["write"], whole=False)), [])
        self.assertEqual(list(rows.unused("5.87", ["connect"], whole=True)), [])

    def test_a_row_of_what_happens_sometimes_need_not_fit(self):
        rows = known.Known([known.Row(["5.66"], "connect", "*", "Sometimes: a matter of luck.")])
        self.assertEqual(list(rows.unused("5.66", ["connect"], whole=False)), [])

    def test_the_table_in_the_documentation_can_be_read(self):
        known.load(LISTED)


if __name__ == "__main__":
    unittest.main()
