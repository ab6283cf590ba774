"""Reports as people and CI systems get them: golden files, exit status, reading JSON back.

FORETRACE_GOLDEN=update rewrites the golden files; look at the difference before committing it.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORETRACE = os.environ.get("FORETRACE", str(ROOT / "build" / "test" / "foretrace"))
GOLDEN = ROOT / "tests" / "golden"
TRACES = ("account", "transfer", "dining")
HOSTILE = 'wr 1 <script>alert(1)</script>|`*_&"]]>\nwr 2 <script>alert(1)</script>|`*_&"]]>\n'


def run(*arguments, **options):
    return subprocess.run([FORETRACE, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, **options)


class Reports(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, content):
        path = self.path / name
        path.write_text(content)
        return path

    def test_text_markdown_and_junit_are_as_in_the_golden_files(self):
        for trace in TRACES:
            for name in ("text", "markdown", "junit"):
                with self.subTest(trace=trace, format=name):
                    result = run("analyze", f"examples/{trace}.tiddle", "--format", name)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    shown = re.sub(r'time="[0-9.]+"', 'time="0"', result.stdout)
                    golden = GOLDEN / f"{trace}.{name}"
                    if os.environ.get("FORETRACE_GOLDEN") == "update":
                        golden.parent.mkdir(exist_ok=True)
                        golden.write_text(shown)
                    self.assertEqual(shown, golden.read_text())

    def test_a_report_read_back_is_the_same_report(self):
        for trace in TRACES:
            source = f"examples/{trace}.tiddle"
            saved = self.path / f"{trace}.json"
            run("analyze", source, "--format", "json", "-o", saved)
            for name in ("text", "markdown", "sarif", "json"):
                with self.subTest(trace=trace, format=name):
                    again = run("report", saved, "--format", name)
                    self.assertEqual(again.returncode, 1, again.stderr)
                    direct = run("analyze", source, "--format", name)
                    if name == "json":
                        self.assertEqual(json.loads(again.stdout)["findings"], json.loads(direct.stdout)["findings"])
                    else:
                        self.assertEqual(again.stdout, direct.stdout)

    def test_the_name_of_the_output_says_the_format(self):
        saved = self.path / "findings.json"
        run("analyze", "examples/account.tiddle", "--format", "json", "-o", saved)
        for name, start in (("a.sarif", "{"), ("a.md", "## Foretrace"), ("a.xml", "<?xml"), ("a.txt", "data race")):
            for command in (("report", saved), ("analyze", "examples/account.tiddle")):
                result = run(*command, "-o", self.path / name)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertTrue((self.path / name).read_text().startswith(start), name)

    def test_a_report_without_its_trace_has_no_pictures_and_says_so(self):
        trace = self.write("gone.tiddle", (ROOT / "examples" / "account.tiddle").read_text())
        saved = self.path / "findings.json"
        run("analyze", trace, "--format", "json", "-o", saved)
        trace.write_text("wr 1 x\n")
        changed = run("report", saved)
        self.assertIn("has 1 event, not 15 as in the report", changed.stderr)
        self.assertNotIn("a schedule that shows it", changed.stdout)
        trace.unlink()
        gone = run("report", saved)
        self.assertIn("cannot be read, so there are no schedules", gone.stderr)
        moved = run("report", saved, "--trace", "examples/account.tiddle")
        self.assertIn("a schedule that shows it", moved.stdout)
        self.assertEqual(run("report", saved, "--trace", self.path / "nowhere").returncode, 2)

    def test_bad_reports_are_refused_with_a_sentence(self):
        event = {"index": 0, "thread": "1", "op": "wr", "object": "x"}
        finding = {"id": "hb-1", "analysis": "hb", "kind": "data-race", "strength": "certified", "events": [event]}
        for change in ({"strength": "sure"}, {"kind": 3}, {"events": [{"index": -1}]}, {"labels": [1]},
                       {"events": [{**event, "op": "jump"}]}, {"witness": ["a"]}, {"detail": []}):
            with self.subTest(change=change):
                saved = self.write("bad.json", json.dumps(
                    {"schema": "foretrace/findings/1", "findings": [{**finding, **change}]}))
                result = run("report", saved)
                self.assertEqual(result.returncode, 2)
                self.assertIn("finding hb-1", result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)

    def test_fail_on_decides_the_exit_status(self):
        predicted_only = ("examples/account.tiddle", "--analysis", "lockset")
        certified = ("examples/account.tiddle", "--analysis", "race")
        self.assertEqual(run("analyze", *predicted_only, "--fail-on", "predicted").returncode, 1)
        self.assertEqual(run("analyze", *predicted_only, "--fail-on", "certified").returncode, 0)
        self.assertEqual(run("analyze", *certified, "--fail-on", "certified").returncode, 1)
        saved = self.path / "old.json"
        run("analyze", *certified, "--format", "json", "-o", saved)
        self.assertEqual(run("analyze", *certified, "--fail-on", "new", "--baseline", saved).returncode, 0)
        self.assertEqual(run("analyze", *predicted_only, "--fail-on", "new", "--baseline", saved).returncode, 1)
        alone = run("analyze", *certified, "--fail-on", "new")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("--baseline", alone.stderr)

    def sarif(self, *arguments):
        result = run("analyze", "examples/account.tiddle", "--format", "sarif", *arguments)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads(result.stdout)["runs"][0]

    def test_sarif_has_suppressions_and_baseline_states(self):
        rules = self.write("rules.txt", "analysis=lockset\n")
        old = self.path / "old.json"
        run("analyze", "examples/account.tiddle", "--analysis", "race,nondeterminism", "--format", "json", "-o", old)
        results = self.sarif("--analysis", "cp,lockset,race", "--suppress", rules, "--baseline", old)["results"]
        states = {r["properties"]["analysis"]: r.get("baselineState") for r in results}
        self.assertEqual(states, {"cp": "new", "race": "unchanged", "nondeterminism": "absent", "lockset": None})
        (suppressed,) = [r for r in results if "suppressions" in r]
        self.assertEqual(suppressed["suppressions"][0]["justification"], "analysis=lockset")

    def test_sarif_has_a_flow_for_each_thread_in_the_order_of_the_schedule(self):
        (result,) = self.sarif("--analysis", "race")["results"]
        flows = result["codeFlows"][0]["threadFlows"]
        self.assertEqual([f["id"] for f in flows], ["0", "1", "2"])
        steps = sorted((s["executionOrder"], s["location"]["message"]["text"]) for f in flows for s in f["locations"])
        self.assertEqual([text for _, text in steps], ["fork(1)", "fork(2)", "r(count)", "acq(mutex)", "r(limit)",
                                                       "rel(mutex)", "w(count)", "r(count)"])

    def test_hostile_names_stay_text(self):
        trace = self.write("hostile.tiddle", HOSTILE)
        xml = run("analyze", trace, "--analysis", "hb", "--format", "junit").stdout
        failure = ElementTree.fromstring(xml).find(".//failure")
        self.assertIn('<script>alert(1)</script>|`*_&"]]>', failure.get("message"))
        markdown = run("analyze", trace, "--analysis", "hb", "--format", "markdown").stdout
        self.assertNotIn("<script", markdown.split("```")[0])
        self.assertIn("\\|\\`\\*\\_&amp;", markdown)


if __name__ == "__main__":
    unittest.main()
