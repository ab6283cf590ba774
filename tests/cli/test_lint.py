"""The lint command as users run it: its cache, its options in foretrace.toml, bad input."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORETRACE = os.environ.get("FORETRACE", str(ROOT / "build" / "test" / "foretrace"))
RACE = """#include <thread>
int counter;
int main() {
  std::thread worker([] { counter++; });
  counter++;
  worker.join();
  return counter;
}
"""

# Several pairs of accesses of each of three variables, two of one object.
RACES = """#include <thread>
int counter;
struct Box { int width; int height; } box;
void work() {
  counter++;
  counter = counter + box.width;
  box.width++;
  box.height = counter;
}
int main() {
  std::thread worker(work);
  work();
  box.height++;
  worker.join();
}
"""


class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "race.cpp").write_text(RACE)
        self.cache = self.folder / "cache"

    def run_lint(self, *arguments):
        return subprocess.run([FORETRACE, "lint", *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, env={**os.environ, "XDG_CACHE_HOME": str(self.cache)})

    def kept(self, pattern):
        return sorted((self.cache / "foretrace" / "lint").glob(pattern))

    def check_bad(self, result, words):
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(words, result.stderr)

    def test_second_run_says_the_same(self):
        for report_format in ("text", "json", "sarif"):
            first = self.run_lint("race.cpp", "--format", report_format)
            self.assertEqual(first.returncode, 1, first.stderr)
            reports = self.kept("*.report.json")
            self.assertEqual(len(reports), 1)
            second = self.run_lint("race.cpp", "--format", report_format)
            self.assertEqual(first.stdout, second.stdout)
        again = self.run_lint("race.cpp", "--no-cache", "--format", "json")
        without = [finding["id"] for finding in json.loads(again.stdout)["findings"]]
        known = [finding["id"] for finding in json.loads(
            self.run_lint("race.cpp", "--format", "json").stdout)["findings"]]
        self.assertEqual(without, known)

    def test_kept_report_is_not_used_after_a_change(self):
        self.assertEqual(self.run_lint("race.cpp").returncode, 1)
        (self.folder / "race.cpp").write_text(RACE.replace("  counter++;\n", ""))
        self.assertEqual(self.run_lint("race.cpp").returncode, 0)
        (self.folder / "race.cpp").write_text(RACE)
        self.assertEqual(self.run_lint("--rules", "RwW", "race.cpp").returncode, 0)
        self.assertEqual(self.run_lint("race.cpp").returncode, 1)

    def test_damaged_cache_is_made_anew(self):
        first = self.run_lint("race.cpp")
        for file in self.kept("*"):
            file.write_bytes(file.read_bytes()[:40])
        second = self.run_lint("race.cpp")
        self.assertEqual((second.returncode, second.stdout, second.stderr), (1, first.stdout, ""))

    def test_cache_that_is_no_folder(self):
        self.cache.write_text("")
        self.check_bad(self.run_lint("race.cpp"), "--no-cache does without")
        self.assertEqual(self.run_lint("race.cpp", "--no-cache").returncode, 1)

    def test_interrupt_ends_it_and_leaves_a_good_cache(self):
        (self.folder / "build").mkdir()
        commands = []
        for i in range(60):
            source = self.folder / f"slow{i}.cpp"
            source.write_text("#include <regex>\n#include <filesystem>\n" + RACE.replace("main", f"main{i}"))
            commands.append({"directory": str(self.folder), "file": str(source), "command": f"g++ -c {source}"})
        (self.folder / "build" / "compile_commands.json").write_text(json.dumps(commands))
        running = subprocess.Popen([FORETRACE, "lint", "-p", "build", "-j", "2"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "XDG_CACHE_HOME": str(self.cache)})
        while not self.kept("*.summary") and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        output = running.communicate()
        self.assertEqual(running.returncode, -signal.SIGINT, output)  # a shell says 130
        self.assertEqual(output[0], b"")
        self.assertEqual(self.kept("*.summary.*"), [])
        read = self.kept("*.summary")
        self.assertLess(len(read), 60)
        again = self.run_lint("slow0.cpp", "slow1.cpp", "-p", "build", "--format", "json")
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertEqual(len(json.loads(again.stdout)["findings"]),
                         2 * len(json.loads(self.run_lint("race.cpp", "--format", "json").stdout)["findings"]))

    def test_options_in_a_file(self):
        (self.folder / "foretrace.toml").write_text('[lint]\nrules = ["-data-race"]\n')
        self.assertEqual(self.run_lint("race.cpp").returncode, 0)
        self.assertEqual(self.run_lint("race.cpp", "--rules", "data-race").returncode, 1)
        (self.folder / "foretrace.toml").write_text('[lint]\npattern = ["mine = R(a) [w(a)] W(a)"]\n')
        self.assertIn("mine", self.run_lint("--list-rules").stdout)
        (self.folder / "foretrace.toml").write_text('[lint]\npattern = ["mine = R(a"]\n')
        self.check_bad(self.run_lint("race.cpp"), "pattern")
        (self.folder / "foretrace.toml").write_text("[lint]\nrulez = []\n")
        self.check_bad(self.run_lint("race.cpp"), "foretrace.toml:2: lint has no option 'rulez'")

    def found(self, *arguments):
        result = self.run_lint("races.cpp", "--format", "json", *arguments)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads(result.stdout)

    @staticmethod
    def ids(report):
        """Those that are shown, and those that are folded into them."""
        shown = [finding["id"] for finding in report["findings"]]
        folded = [more["id"] for finding in report["findings"] for more in finding["detail"].get("more", [])]
        return shown, folded

    def test_findings_of_one_variable_are_folded(self):
        (self.folder / "races.cpp").write_text(RACES)
        every, none = self.ids(self.found("--all-pairs"))
        self.assertGreater(len(every), 8)
        self.assertEqual(none, [])
        self.assertEqual(self.ids(self.found()), (every, []))  # few: nothing is folded
        by_variable = self.found("--fold-above", 3)
        shown, folded = self.ids(by_variable)
        self.assertEqual(sorted(finding["variable"] for finding in by_variable["findings"]),
                         ["box.height", "box.width", "counter"])
        self.assertEqual(sorted(shown + folded), sorted(every))
        by_object = self.found("--fold-above", 2)
        shown, folded = self.ids(by_object)
        self.assertEqual(len(shown), 2)
        self.assertEqual(sorted(shown + folded), sorted(every))
        for finding in by_object["findings"]:
            self.assertTrue(finding["events"][1].get("calls") or finding["events"][0].get("calls"))
        text = self.run_lint("races.cpp", "--fold-above", 2).stdout
        self.assertIn(f"{len(folded)} more findings of the same variables", text)
        self.assertIn("(--all-pairs shows each)", text)
        page = self.run_lint("races.cpp", "--fold-above", 2, "--format", "html").stdout
        self.assertIn("(--all-pairs shows each)", page)  # in words: the page need not have all of them
        self.assertFalse(any(other in page for other in folded))

    def test_as_many_of_a_variable_stay_as_there_is_room_for(self):
        (self.folder / "races.cpp").write_text(RACES)
        every, _ = self.ids(self.found("--all-pairs"))
        shown, folded = self.ids(self.found("--fold-above", len(every) - 1))
        self.assertGreater(len(shown), 3)
        self.assertLess(len(shown), len(every))
        self.assertEqual(sorted(shown + folded), sorted(every))

    def test_what_leaves_findings_out_looks_at_folded_ones_too(self):
        (self.folder / "races.cpp").write_text(RACES)
        every, _ = self.ids(self.found("--all-pairs"))
        shown, folded = self.ids(self.found("--fold-above", 2, "-o", "-"))
        (self.folder / "old.json").write_text(self.run_lint("races.cpp", "--fold-above", 2, "--format",
                                                            "json").stdout)
        report = self.found("--all-pairs", "--baseline", "old.json")
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["left_out"]["known"], len(every))
        # What is left of a variable stays in the report, without the one that was shown.
        (self.folder / "rules").write_text(f"id={shown[0]}\n")
        report = self.found("--fold-above", 2, "--suppress", "rules")
        self.assertEqual(report["left_out"]["suppressed"], 1)
        left, others = self.ids(report)
        self.assertEqual(sorted(left + others), sorted(set(every) - {shown[0]}))
        self.assertEqual(len(left), 2)

    def test_bad_input_is_one_sentence(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.check_bad(self.run_lint(), "there is nothing to look at")
        self.check_bad(self.run_lint("-p", empty), "compile_commands.json")
        (empty / "compile_commands.json").write_text("[]")
        self.check_bad(self.run_lint("-p", empty), "compile_commands.json")
        (empty / "compile_commands.json").write_text("nonsense")
        self.check_bad(self.run_lint("-p", empty), "compile_commands.json")
        self.check_bad(self.run_lint("race.cpp", "--models", "none.txt"), "none.txt")

    def test_what_does_not_compile_is_shown_and_the_rest_analysed(self):
        (self.folder / "broken.cpp").write_text(
            '#include "missing.h"\n#include <thread>\nint other;\nvoid add() { other++; }\n'
            "void both() { std::thread first(add), second(add); first.join(); second.join(); }\n")
        result = self.run_lint("race.cpp", "broken.cpp")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'missing.h' file not found", result.stderr)
        self.assertIn("1 file did not compile", result.stderr)
        self.assertIn("race on counter", result.stdout)
        self.assertIn("race on other", result.stdout)

    def test_generated_file_that_is_gone(self):
        commands = [{"directory": str(self.folder), "file": name, "arguments": ["g++", "-c", name]}
                    for name in ("race.cpp", "generated.cpp")]
        (self.folder / "compile_commands.json").write_text(json.dumps(commands))
        result = self.run_lint("-p", ".")
        self.assertEqual(result.returncode, 2)
        self.assertIn("generated.cpp: the file is not there; if it is generated, build the project first",
                      result.stderr)
        self.assertIn("counter", result.stdout)


if __name__ == "__main__":
    unittest.main()
