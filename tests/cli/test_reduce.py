"""The reduce command as users run it."""

import json
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORETRACE = os.environ.get("FORETRACE", str(ROOT / "build" / "test" / "foretrace"))
PAPER = ROOT / "tests" / "traces" / "paper000"


def run(*arguments):
    return subprocess.run([FORETRACE, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)


class Reduce(unittest.TestCase):
    def test_leaves_what_the_finding_needs(self):
        trace = PAPER / "figure-10.2a.tiddle"
        report = json.loads(run("analyze", trace, "--analysis", "cp", "--format", "json").stdout)
        result = run("reduce", trace, "--keep", report["findings"][0]["id"])
        self.assertEqual(result.returncode, 0, result.stderr)
        events = [line for line in result.stdout.splitlines() if line and not line.startswith("#")]
        self.assertEqual(events, ["wr 1 x", "acq 1 l", "rel 1 l", "acq 2 l", "rd 2 x"])

    def test_says_what_is_wrong_with_the_id(self):
        for keep, words in (("nonsense", "not the id of a finding"), ("hb-0123456789abcdef", "does not have"),
                            ("hc-0123456789abcdef", "did you mean 'hb'?")):
            result = run("reduce", PAPER / "figure-1.8.tiddle", "--keep", keep)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
