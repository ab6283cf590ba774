"""The analyze command as users and scripts run it."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORETRACE = os.environ.get("FORETRACE", str(ROOT / "build" / "test" / "foretrace"))
PAPERS = ROOT / "tests" / "traces"
PAPER = PAPERS / "paper000"


def run(*arguments, **options):
    return subprocess.run([FORETRACE, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, **options)


def findings(*arguments, **options):
    result = run("analyze", *arguments, "--format", "json", **options)
    assert result.returncode in (0, 1), result.stderr
    return json.loads(result.stdout)


class Analyze(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def test_exit_status_says_whether_there_are_findings(self):
        self.assertEqual(run("analyze", PAPER / "figure-1.8.tiddle").returncode, 1)
        clean = run("analyze", PAPER / "figure-1.9.tiddle", "--analysis", "hb")
        self.assertEqual(clean.returncode, 0)
        self.assertIn("no findings", clean.stdout)

    def test_json_keeps_the_contract(self):
        report = findings(PAPER / "figure-1.8.tiddle", "--analysis", "hb")
        self.assertEqual(report["schema"], "foretrace/findings/1")
        self.assertEqual({k: report["trace"][k] for k in ("events", "threads", "locations", "locks")},
                         {"events": 6, "threads": 2, "locations": 1, "locks": 1})
        self.assertEqual(report["analyses"]["hb"]["passes"], 1)
        (race,) = report["findings"]
        self.assertEqual(race["events"][0], {"index": 2, "thread": "2", "op": "wr", "object": "x", "site": None})
        self.assertEqual(race["witness"], [0, 1, 2, 3])
        for key in ("id", "analysis", "kind", "strength", "message", "variable", "lock", "labels", "detail"):
            self.assertIn(key, race)

    def test_ids_are_the_same_in_every_format(self):
        for trace in ("figure-1.8", "figure-10.2b", "figure-16.2"):
            source = PAPER / f"{trace}.tiddle"
            expected = [f["id"] for f in findings(source)["findings"]]
            self.assertTrue(expected)
            for name in ("t.std", "t.ftr", "t.tiddle", "t.std.gz", "t.ftr.zst", "t.rr"):
                target = self.path / name
                self.assertEqual(run("convert", source, target).returncode, 0)
                self.assertEqual([f["id"] for f in findings(target)["findings"]], expected, name)

    def test_planted_races_and_no_others(self):
        for shape in ("flat", "tree", "waves", "none"):
            target = self.path / "g.ftr"
            run("generate", "--events", "200k", "--races", 7, "--shape", shape, "--seed", 3, "-o", target, check=True)
            found = findings(target, "--analysis", "hb")["findings"]
            self.assertEqual(sorted(f["variable"] for f in found), [f"race{i}" for i in range(7)], shape)
            self.assertEqual({f["strength"] for f in found}, {"observed"})

    def test_nondeterministic_read_says_what_it_can_see(self):
        (read,) = findings(PAPERS / "paper001" / "figure-1.tiddle", "--analysis", "nondeterminism")["findings"]
        self.assertEqual((read["kind"], read["strength"]), ("nondeterministic-read", "certified"))
        self.assertEqual({k: read["detail"][k] for k in ("read", "writer", "challenger", "order")},
                         {"read": 4, "writer": 1, "challenger": None, "order": "c-r-w"})
        self.assertEqual(read["witness"], [3, 4])

    def test_many_nondeterministic_reads_are_summarised(self):
        trace = self.path / "many.tiddle"
        trace.write_text("".join(f"wr {1 + i % 2} x @ a.cc:{1 + i % 3}\nrd 3 x @ a.cc:9\n" for i in range(20)))
        options = (trace, "--analysis", "nondeterminism")
        self.assertGreater(len(findings(*options)["findings"]), 20)
        summary = findings(*options, "--max-reads", 20)["findings"]
        self.assertEqual(len(summary), 4)  # the sites of the writes, and the initial value
        self.assertGreater(sum(f["detail"]["same_places"] for f in summary), 20)

    def test_table_of_witnesses(self):
        trace = PAPERS / "paper001" / "figure-5.tiddle"
        table = findings(trace, "--analysis", "nondeterminism", "--table")["analyses"]["nondeterminism"]["table"]
        self.assertEqual(table["possible witnesses"],
                         table["feasible witnesses"] + table["infeasible witnesses"])
        self.assertIn("possible witnesses", run("analyze", trace, "--analysis", "nondeterminism", "--table").stdout)

    def test_atomic_sets_depend_on_what_belongs_together(self):
        options = (PAPERS / "paper002" / "figure-1b-two-sets.tiddle", "--analysis", "atomic-sets")
        self.assertEqual(findings(*options)["findings"], [])
        self.assertEqual(findings(*options, "--sets", "location")["findings"], [])
        report = findings(*options, "--sets", "all")
        self.assertEqual(sorted(f["detail"]["pattern"] for f in report["findings"]), [1, 2, 3, 4, 5])
        stale = next(f for f in report["findings"] if f["detail"]["pattern"] == 1)
        self.assertEqual(stale["strength"], "observed")
        self.assertEqual(stale["labels"], ["transfer", "inc"])
        self.assertEqual(stale["detail"]["threads"], ["1", "2"])
        self.assertEqual(stale["detail"]["locations"], ["global.opCounter"])
        self.assertEqual(run("analyze", *options, "--sets", "some").returncode, 2)

    def test_reads_from_a_pipe(self):
        text = (PAPER / "figure-1.8.tiddle").read_text()
        self.assertEqual(run("analyze", "-", input=text).returncode, 1)

    def test_baseline_leaves_only_what_is_new(self):
        old = self.path / "old.json"
        trace = PAPER / "figure-16.2.tiddle"
        self.assertEqual(run("analyze", trace, "--format", "json", "-o", old).returncode, 1)
        again = run("analyze", trace, "--baseline", old)
        self.assertEqual(again.returncode, 0)
        self.assertIn("left out, as in the baseline", again.stdout)
        longer = self.path / "longer.tiddle"
        longer.write_text(trace.read_text() + "wr 2 z\nwr 1 z\n")
        new = findings(longer, "--baseline", old, "--analysis", "hb")["findings"]
        self.assertEqual([f["variable"] for f in new], ["z"])

    def test_suppressions_and_those_that_match_nothing(self):
        rules = self.path / "rules"
        rules.write_text("variable=x\nvariable=nothing\n")
        result = run("analyze", PAPER / "figure-16.2.tiddle", "--analysis", "hb", "--suppress", rules)
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("race on x", result.stdout)
        self.assertIn("race on y", result.stdout)
        self.assertIn("rules:2: this suppression matched nothing", result.stderr)

    def test_strength_hides_what_is_weaker(self):
        result = run("analyze", PAPER / "figure-1.12.tiddle", "--analysis", "lockset", "--strength", "certified")
        self.assertEqual(result.returncode, 0)
        self.assertIn("weaker than asked for", result.stdout)

    def test_options_may_come_first(self):
        result = run("analyze", "--analysis", "hb,cp", PAPER / "figure-1.8.tiddle", "--format", "json")
        self.assertEqual(set(json.loads(result.stdout)["analyses"]), {"hb", "cp"})

    def test_all_pairs(self):
        trace = self.path / "many.tiddle"
        trace.write_text("".join(f"wr {t} x\n" for t in range(6)))
        self.assertEqual(len(findings(trace, "--analysis", "hb")["findings"]), 1)
        every = findings(trace, "--analysis", "hb", "--all-pairs")["findings"]
        self.assertEqual(len(every), 15)
        self.assertEqual(len({f["id"] for f in every}), 15)
        some = run("analyze", trace, "--analysis", "hb", "--all-pairs", "--max-pairs", 4)
        self.assertIn("15 pairs race; only the first 4 are listed", some.stderr)

    def test_all_pairs_says_which_accesses_it_did_not_keep(self):
        trace = self.path / "long.tiddle"
        trace.write_text("wr 1 x\n" * 300 + "wr 2 x\n")
        self.assertEqual(len(findings(trace, "--analysis", "hb", "--all-pairs")["findings"]), 300)
        for name in "hb", "cp", "mb", "race":
            bounded = run("analyze", trace, "--analysis", name, "--all-pairs", "--max-accesses", 10, "--format", "json")
            listed = [f for f in json.loads(bounded.stdout)["findings"] if f["analysis"] == name]
            left_out = re.search(name + r": (?:up to )?([\d,]+) (?:more )?pairs", bounded.stderr)
            self.assertLess(len(listed), 300)
            self.assertEqual(len(listed) + int(left_out[1]), 300)
            self.assertIn("--max-accesses", bounded.stderr)

    def test_bad_command_lines_are_one_sentence(self):
        trace = PAPER / "figure-1.8.tiddle"
        for arguments, hint in (
                (("--analysis", "hc"), "did you mean 'hb'?"), (("--format", "jason"), "did you mean 'json'?"),
                (("--strength", "sure"), "predicted, certified or observed"),
                (("--max-pairs", "many"), "not a count"), (("--baseline", "/nonexistent"), "cannot open"),
                (("--suppress", "/"), "directory"), (("-o", "/nonexistent/x"), "cannot write")):
            result = run("analyze", trace, *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(hint, result.stderr)

    def test_pictures_name_the_source_line(self):
        result = run("analyze", "examples/account.tiddle", "--analysis", "race")
        self.assertIn("12 | ++count;", result.stdout)
        self.assertRegex(result.stdout, r"3 ▶ +w\(count\)")
        self.assertIn("a schedule that shows it", result.stdout)

    def test_a_witness_of_a_read_has_no_value_that_it_did_not_see(self):
        trace, schedule = self.path / "values.tiddle", self.path / "schedule.tiddle"
        trace.write_text("acq 1 l\nwr 1 x 5\nrel 1 l\nacq 2 l\nrd 2 x 5\nrel 2 l\n")
        self.assertEqual(run("analyze", trace, "--analysis", "nondeterminism", "--witness", schedule).returncode, 1)
        self.assertEqual(schedule.read_text(), "acq 2 l\nrd 2 x\n")
        self.assertEqual(run("analyze", schedule).returncode, 0)

    def test_a_witness_can_be_analysed_again(self):
        schedule = self.path / "schedule.tiddle"
        trace = PAPER / "figure-10.2a.tiddle"
        self.assertEqual(run("analyze", trace, "--analysis", "race", "--witness", schedule).returncode, 1)
        (race,) = findings(schedule, "--analysis", "hb")["findings"]
        self.assertEqual((race["variable"], race["strength"]), ("count", "observed"))

    def test_an_error_in_the_trace_is_refused_with_its_line(self):
        trace = self.path / "bad.tiddle"
        trace.write_text("acq 1 l\n# comment\nrel 2 l\n")
        result = run("analyze", trace)
        self.assertEqual(result.returncode, 2)
        self.assertIn("bad.tiddle:3: thread 2 releases lock l, which it does not hold", result.stderr)
        lenient = run("analyze", trace, "--lenient")
        self.assertEqual(lenient.returncode, 0)
        self.assertIn("1 event dropped", lenient.stderr)

    def test_locks_that_do_not_nest(self):
        trace = self.path / "chain.tiddle"
        trace.write_text("acq 1 a\nacq 1 b\nrel 1 a\nwr 1 x\nrel 1 b\nacq 2 b\nwr 2 x\nrel 2 b\n")
        self.assertEqual(run("analyze", trace).returncode, 2)
        self.assertEqual(run("analyze", trace, "--unnested").returncode, 0)


class HardTraces(unittest.TestCase):
    """Traces that are large or odd in one way: all analyses are right, and end."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = pathlib.Path(self.folder.name) / "trace.tiddle"

    def racy(self, *arguments):
        """The locations that race, by analysis, and how many findings each has."""
        report = findings(self.trace, *arguments)
        return report, {name: sorted({f["variable"] for f in report["findings"] if f["analysis"] == name})
                        for name in report["analyses"]}

    def test_more_pairs_without_sites_are_summed_up(self):
        self.trace.write_text("wr 1 x\nwr 2 x\n" * 200)
        result = run("analyze", self.trace, "--analysis", "race", "--format", "json")
        races = json.loads(result.stdout)["findings"]
        self.assertEqual(len(races), 10_001)
        self.assertEqual([e["index"] for e in races[0]["events"]], [0, 1])
        self.assertIn("29,999 pairs were not looked at", result.stderr)

    def test_ten_thousand_pairs_on_one_location(self):
        self.trace.write_text("".join(f"wr {t} x @ {t}.c:{line}\n" for t in (1, 2) for line in range(100)))
        report, racy = self.racy("--analysis", "hb,cp,mb,race")
        self.assertEqual(racy, {name: ["x"] for name in ("hb", "cp", "mb", "race")})
        races = [f for f in report["findings"] if f["analysis"] == "race"]
        self.assertEqual(len(races), 10_000)
        self.assertEqual({f["strength"] for f in races} - {"certified", "observed"}, set())

    def test_a_lock_that_is_taken_very_often(self):
        # The accesses of y are as far apart as can be, and only the lock is between them.
        section = "acq 1 l\nwr 1 x\nrel 1 l\nacq 2 l\nrel 2 l\n"
        self.trace.write_text("wr 1 y\n" + section * 200_000 + "wr 2 y\n")
        _, racy = self.racy("--analysis", "hb,cp,mb,race,deadlock")
        self.assertEqual(racy, {"hb": [], "cp": ["y"], "mb": ["y"], "race": ["y"], "deadlock": []})

    def test_hundreds_of_threads(self):
        with self.trace.open("w") as trace:
            for turn in range(20):
                for thread in range(500):
                    lock = (turn * 7 + thread * 3) % 40
                    trace.write(f"acq {thread} l{lock}\nwr {thread} g{lock}\nrel {thread} l{lock}\n")
            trace.write("wr 3 bad\nacq 3 l1\nrel 3 l1\nacq 4 l1\nrel 4 l1\nwr 4 bad\n")
        _, racy = self.racy("--analysis", "hb,cp,mb,race,deadlock")
        self.assertEqual(racy, {"hb": [], "cp": ["bad"], "mb": ["bad"], "race": ["bad"], "deadlock": []})

    def test_ends_with_locks_held_and_threads_waiting(self):
        self.trace.write_text("acq 1 l\nwr 1 x\nwait 1 l\nacq 2 l\nwr 2 x\nacq 3 m\nwr 3 y\nwr 2 y\n")
        _, racy = self.racy("--analysis", "hb,cp,mb,race,deadlock")
        self.assertEqual(racy, {"hb": ["y"], "cp": ["y"], "mb": ["y"], "race": ["y"], "deadlock": []})

    def test_interrupted(self):
        # A pipe that never ends: what came until Ctrl-C is analysed and reported.
        race = "wr 1 x\\nacq 1 l\\nrel 1 l\\nacq 2 l\\nrel 2 l\\nwr 2 x\\n"
        endless = f"printf '{race}'; exec yes 'acq 1 l\nwr 1 y\nrel 1 l'"
        with subprocess.Popen(["sh", "-c", endless], stdout=subprocess.PIPE) as source, \
                subprocess.Popen([FORETRACE, "analyze", "-", "--format", "json", "--analysis", "hb,cp,mb,race"],
                                 stdin=source.stdout, stdout=subprocess.PIPE, text=True) as program:
            source.stdout.close()
            time.sleep(1)
            program.send_signal(signal.SIGINT)
            report = json.loads(program.communicate(timeout=60)[0])
        self.assertEqual(program.returncode, 1)
        self.assertTrue(report["partial"])
        self.assertEqual({f["analysis"] for f in report["findings"]}, {"cp", "mb", "race"})


class Readme(unittest.TestCase):
    def test_its_first_example_is_real(self):
        block = re.search(r"```\n\$ \./foretrace (.*?)\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
        self.assertEqual(run(*block.group(1).split()).stdout, block.group(2))


if __name__ == "__main__":
    unittest.main()
