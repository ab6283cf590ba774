"""End-to-end tests of the foretrace program, whose path is in $FORETRACE."""

import json
import os
import pty
import shutil
import subprocess
import tempfile
import unittest

FORETRACE = os.path.abspath(os.environ.get("FORETRACE", "foretrace"))

COMMANDS = ["analyses", "analyze", "c++", "cc", "completion", "convert", "demo", "generate",
            "heal", "hunt", "info", "lint", "record", "reduce", "report", "reproduce", "run", "sections",
            "tiddle", "view"]
EXTENSIONS = {"ftr": ".ftr", "rapidbin": ".data", "roadrunner": ".rr", "std": ".std",
              "tiddle": ".tiddle"}

WAITING = """\
fork 1 2
acq 2 l
wait 2 l
acq 1 l
wr 1 x 1
notify 1 l
rel 1 l
rd 2 x 1
rel 2 l
join 1 2
"""


def run(*words, stdin=b"", **options):
    return subprocess.run([FORETRACE, *words], input=stdin, capture_output=True, timeout=120,
                          check=False, **options)


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def succeed(self, *words, **options):
        done = run(*words, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done

    def refuse(self, *words, says, **options):
        """The command fails with status 2, one sentence and no output."""
        done = run(*words, **options)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, 2, message)
        self.assertEqual(done.stdout, b"")
        self.assertTrue(message.startswith("foretrace: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        self.assertIn(says, message)

    def generate(self, name, *words):
        self.succeed("generate", "-o", self.path(name), *words)
        return self.path(name)


class HelpTest(CliTest):
    def test_help_of_the_program(self):
        for words in (["--help"], ["-h"], ["help"]):
            text = self.succeed(*words).stdout.decode()
            self.assertIn("Usage: foretrace COMMAND", text)
            for command in COMMANDS:
                self.assertIn("\n  " + command, text)

    def test_help_of_each_command_has_examples(self):
        for command in COMMANDS:
            text = self.succeed(command, "--help").stdout.decode()
            self.assertIn("Usage: foretrace " + command, text)
            self.assertIn("\nExamples:\n", text)
            self.assertIn("foretrace " + command, text.split("\nExamples:\n")[1])
            self.assertEqual(self.succeed("help", command).stdout.decode(), text)

    def test_help_fits_the_terminal(self):
        for command in COMMANDS:
            text = self.succeed(command, "--help").stdout.decode().split("\nExamples:\n")[0]
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout.decode(), r"^foretrace \d+\.\d+\.\d+\n$")

    def test_no_command_is_help_and_an_error(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"Usage: foretrace COMMAND", done.stderr)


class CommandLineTest(CliTest):
    def test_did_you_mean(self):
        self.refuse("anlyze", "x", says="no command 'anlyze'; did you mean 'analyze'?")
        self.refuse("info", "--topp", "3", "x", says="no option '--topp'; did you mean '--top'?")
        self.refuse("info", "--fromat=json", "x", says="did you mean '--format'?")
        self.refuse("--versoin", says="did you mean '--version'?")
        self.refuse("info", "-", "--input-format", "tidle", stdin=b"x",
                    says="did you mean 'tiddle'?")
        self.refuse("generate", "--shape", "wave", says="did you mean 'waves'?")

    def test_unknown_without_a_guess(self):
        self.refuse("frobnicate", says="foretrace --help")
        self.refuse("info", "x", "--frobnicate", says="foretrace info --help")

    def test_missing_and_superfluous_arguments(self):
        self.refuse("info", says="info needs TRACE")
        self.refuse("convert", "a", says="convert needs OUT")
        self.refuse("convert", "a", "b", "c", says="'c' is one argument too many")
        self.refuse("info", "--", "a", "b", says="'b' is one argument too many")
        self.refuse("info", "x", "--top", says="--top needs a value")
        self.refuse("info", "x", "--top", "1", "--top", "2", says="more than once")

    def test_bad_values(self):
        self.refuse("info", "x", "--top", "many", says="'many' is not a count")
        self.refuse("info", "x", "--format", "xml", says="'xml' is not text or json")
        self.refuse("generate", "--guarded", "1.1", says="'1.1' is not a share")

    def test_what_is_wrong_before_the_words_of_a_program(self):
        for end in (["--", "./t"], ["./t", "--bogus"]):
            for command in ("run", "record"):
                self.refuse(command, "--bogus", *end, says=f"{command} has no option '--bogus'")
            self.refuse("run", "--liv", "-o", "x", *end, says="did you mean '--live'?")
            self.refuse("run", "--live", "abc", *end, says="--live: Value abc not in range")
            self.refuse("run", "--exit", "maybe", *end, says="'maybe' is not program or findings")
            self.refuse("run", "--exit=program", "--exit=program", *end, says="more than once")

    def test_a_trace_may_be_called_like_a_command(self):
        self.write("info", "wr 1 x\n")
        self.assertIn(b"1 event by 1 thread", self.succeed("info", "info", cwd=self.folder).stdout)

    def test_bad_input(self):
        self.refuse("info", self.path("nosuch"), says="No such file")
        self.refuse("info", self.folder, says="directory")
        self.refuse("info", "-", says="empty")
        self.refuse("info", "-", stdin=bytes(range(256)) * 64, says="known format")
        self.refuse("info", "-", stdin=b"rel 1 l\n", says="standard input:1:")

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([FORETRACE, "--help"], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write standard output", done.stderr)

    def test_closed_pipe_ends_quietly(self):
        for ignored in ("", "trap '' PIPE; "):
            script = ignored + '"$0" generate --events 5M --format tiddle | head -n 1'
            done = subprocess.run(["bash", "-c", script, FORETRACE], capture_output=True,
                                  timeout=60, check=False)
            self.assertEqual(done.stdout.count(b"\n"), 1)
            self.assertNotIn(b"fault", done.stderr)
        script = '"$0" generate --events 5M --format tiddle | head -n 1'
        done = subprocess.run(["bash", "-c", script, FORETRACE], capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.stderr, b"")


class AnalysesTest(CliTest):
    def test_lists_them(self):
        text = self.succeed("analyses").stdout.decode()
        document = json.loads(self.succeed("analyses", "--format", "json").stdout)
        self.assertEqual(document["schema"], "foretrace/analyses/1")
        names = [analysis["name"] for analysis in document["analyses"]]
        self.assertIn("hb", names)
        self.assertIn("lockset", names)
        self.assertEqual([line.split()[0] for line in text.splitlines()], names)


class ConvertTest(CliTest):
    def test_between_all_formats(self):
        """There and back: whatever the way, the same text."""
        start = self.generate("start.tiddle", "--events", "3000", "--threads", "5", "--races", "2")
        plain = self.read("start.tiddle")
        for first, extension in EXTENSIONS.items():
            self.succeed("convert", start, self.path("a" + extension))
            for second, other in EXTENSIONS.items():
                self.succeed("convert", self.path("a" + extension), self.path("b" + other))
                self.succeed("convert", self.path("b" + other), self.path("c.tiddle"))
                back = self.read("c.tiddle")
                if "rapidbin" in (first, second):  # has numbers instead of names
                    self.assertEqual([line.split()[0] for line in back.splitlines()],
                                     [line.split()[0] for line in plain.splitlines()])
                else:
                    self.assertEqual(back, plain, (first, second))

    def test_compressed_and_piped(self):
        trace = self.generate("a.ftr", "--events", "1000")
        plain = self.succeed("convert", trace, "-", "--output-format", "tiddle").stdout
        for extension, magic in ((".gz", b"\x1f\x8b"), (".zst", b"\x28\xb5\x2f\xfd")):
            self.succeed("convert", trace, self.path("b.std" + extension))
            packed = self.read("b.std" + extension)
            self.assertTrue(packed.startswith(magic))
            done = self.succeed("convert", "-", "-", "--output-format", "tiddle", stdin=packed)
            self.assertEqual(done.stdout, plain)

    def test_says_what_was_written_and_lost(self):
        trace = self.write("a.tiddle", WAITING)
        done = self.succeed("convert", trace, self.path("a.ftr"))
        self.assertIn(b"converted 10 events", done.stderr)
        self.assertNotIn(b"cannot carry", done.stderr)
        done = self.succeed("convert", trace, self.path("a.std"))
        self.assertRegex(done.stderr.decode(), r"a\.std cannot carry: .*1 notify event.*2 values")

    def test_a_failure_leaves_the_old_file(self):
        self.write("good.ftr", "precious")
        bad = self.write("bad.tiddle", "acq 1 l\n" * 3 + "rd 1 x\n" * 100000 + "rel 2 l\n")
        self.refuse("convert", bad, self.path("good.ftr"), says="bad.tiddle:100004:")
        self.assertEqual(self.read("good.ftr"), b"precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.tiddle", "good.ftr"])

    def test_onto_itself(self):
        trace = self.write("a.tiddle", "wr   1   x  # a comment\n")
        self.succeed("convert", trace, trace)
        self.assertEqual(self.read("a.tiddle"), b"wr 1 x\n")

    def test_unknown_target(self):
        trace = self.write("a.tiddle", "wr 1 x\n")
        self.refuse("convert", trace, self.path("a.xyz"), says=".std")
        self.refuse("convert", trace, "-", says="--output-format")
        self.refuse("convert", trace, "-", "--output-format", "stdd", says="did you mean 'std'?")
        self.refuse("convert", trace, self.path("no/such/a.ftr"), says="No such file")

    def test_lenient(self):
        trace = self.write("a.tiddle", "rel 1 l\nwr 1 x\n")
        self.refuse("convert", trace, self.path("b.tiddle"), says="--lenient")
        done = self.succeed("convert", "--lenient", trace, self.path("b.tiddle"))
        self.assertIn(b"1 event dropped", done.stderr)
        self.assertEqual(self.read("b.tiddle"), b"wr 1 x\n")


class InfoTest(CliTest):
    def test_text(self):
        trace = self.write("a.tiddle", WAITING)
        text = self.succeed("info", trace).stdout.decode()
        self.assertIn("10 events by 2 threads, on 1 location and 1 lock", text)
        self.assertRegex(text, r"\n  2 +4 +40\.0% +event 0 by 1 +event 9 by 1\n")
        self.assertRegex(text, r"\n  l +2 +2 +1 +50\.0% +3 events\n")
        self.assertRegex(text, r"\n  x +1 +1 +2\n")
        self.assertRegex(text, r"\n  2 +·██~~~~██╳\n")

    def test_json(self):
        trace = self.write("a.tiddle", WAITING)
        document = json.loads(self.succeed("info", trace, "--format", "json").stdout)
        self.assertEqual(document["schema"], "foretrace/info/1")
        self.assertEqual(document["trace"], {"source": trace, "events": 10, "threads": 2,
                                             "locations": 1, "locks": 1, "units": 0, "sites": 0})
        self.assertEqual(document["operations"]["acq"], 2)
        self.assertEqual(document["threads"][1]["forked"], {"by": "1", "index": 0})
        self.assertEqual(document["locks"], [{"name": "l", "acquires": 2, "threads": 2,
                                              "contended": 1, "longest_hold": 3}])
        self.assertEqual(document["locations"][0]["writes"], 1)

    def test_many_threads(self):
        trace = self.generate("a.ftr", "--events", "200k", "--threads", "5k", "--shape", "waves")
        text = self.succeed("info", trace, "--top", "3").stdout.decode()
        self.assertIn("Threads, busiest first: 3 of 5,000", text)
        self.assertRegex(text, r"Not shown: 4,\d\d\d less busy threads with")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_names_that_are_not_text(self):
        done = self.succeed("info", "-", "--format", "json", stdin=b"wr 1 \xff\x01\n")
        self.assertEqual(json.loads(done.stdout)["locations"][0]["name"], "\\xff\\x01")


class GenerateTest(CliTest):
    def test_is_determined_by_the_options(self):
        words = ["generate", "--events", "100k", "--races", "3"]
        once = self.succeed(*words).stdout
        self.assertEqual(self.succeed(*words).stdout, once)
        self.assertNotEqual(self.succeed(*words, "--seed", "2").stdout, once)
        self.succeed(*words, "-o", self.path("a.ftr"))
        self.assertEqual(self.read("a.ftr"), once)

    def test_every_shape_passes_the_check(self):
        for shape in ("flat", "tree", "waves", "none"):
            trace = self.succeed("generate", "--events", "50k", "--threads", "20", "--shape",
                                 shape, "--nesting", "4", "--units", "3", "--sites", "9",
                                 "--races", "4").stdout
            document = json.loads(self.succeed("info", "-", "--format", "json",
                                               stdin=trace).stdout)
            self.assertEqual(document["trace"]["events"], 50000)
            self.assertEqual(document["trace"]["threads"], 20)
            self.assertEqual(document["trace"]["sites"], 9)
            self.assertEqual(document["operations"].get("fork", 0), 0 if shape == "none" else 19)

    def test_piped_into_the_others(self):
        script = ('"$0" generate --events 300k --races 3 | "$0" convert - - --output-format std'
                  ' | "$0" info - --format json')
        done = subprocess.run(["bash", "-o", "pipefail", "-c", script, FORETRACE],
                              capture_output=True, timeout=60, check=True)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(json.loads(done.stdout)["trace"]["events"], 300000)

    def test_analyses_find_the_planted_races_and_no_others(self):
        trace = self.generate("a.ftr", "--events", "500k", "--threads", "16", "--locks", "50",
                              "--races", "5")
        for analysis in ("hb", "lockset"):
            done = run("analyze", trace, "--analysis", analysis, "--format", "json")
            self.assertEqual(done.returncode, 1, done.stderr)
            found = [finding["variable"] for finding in json.loads(done.stdout)["findings"]]
            self.assertEqual(sorted(found), [f"race{i}" for i in range(5)])

    def test_refuses_what_cannot_be(self):
        self.refuse("generate", "--threads", "0", says="at least one thread")
        self.refuse("generate", "--threads", "17M", "--events", "1G", says="at most 16,777,215")
        self.refuse("generate", "--events", "20", "--threads", "4", "--races", "8",
                    says="too few")
        self.refuse("generate", "--threads", "1", "--races", "1", says="two threads")
        self.refuse("generate", "-o", self.path("a.xyz"), says=".tiddle")

    def test_writes_no_binary_to_a_terminal(self):
        primary, secondary = pty.openpty()
        try:
            done = subprocess.run([FORETRACE, "generate", "--events", "100"], stdout=secondary,
                                  stderr=subprocess.PIPE, check=False)
        finally:
            os.close(primary)
            os.close(secondary)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output is a terminal", done.stderr)


class CompletionTest(CliTest):
    def complete(self, *words):
        """What bash offers after these words, the last of which is incomplete."""
        script = ('source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                  'complete -p foretrace > /dev/null && _foretrace; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, FORETRACE, "foretrace", *words],
                              capture_output=True, cwd=self.folder, timeout=60, check=True)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split()

    def test_bash(self):
        self.write("trace.ftr", "")
        self.assertEqual(self.complete(""), COMMANDS)
        self.assertEqual(self.complete("ana"), ["analyses", "analyze"])
        self.assertEqual(self.complete("--v"), ["--version"])
        self.assertEqual(self.complete("info", "--t"), ["--top"])
        self.assertEqual(self.complete("info", "tr"), ["trace.ftr"])
        self.assertEqual(self.complete("info", "--format", ""), ["text", "json"])
        self.assertEqual(self.complete("info", "--format", "=", "j"), ["json"])
        self.assertEqual(self.complete("info", "--input-format", "t"), ["tiddle"])
        self.assertEqual(self.complete("info", "--top", "t"), [])
        self.assertEqual(self.complete("generate", "-o", "t"), ["trace.ftr"])
        self.assertEqual(self.complete("generate", "--shape", "w"), ["waves"])
        self.assertEqual(self.complete("analyze", "--analysis", "hb,lo"), ["hb,lockset"])
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh"])
        self.assertEqual(self.complete("tiddle", ""), ["check", "compile", "equivalents", "fmt"])
        self.assertEqual(self.complete("tiddle", "--h"), ["--help"])
        self.assertEqual(self.complete("tiddle", "compile", "--to", ""), ["c++", "java"])
        self.assertEqual(self.complete("tiddle", "compile", "tr"), ["trace.ftr"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_can_read_its_script(self):
        script = self.succeed("completion", "zsh").stdout
        self.write("_foretrace", script.decode())
        subprocess.run(["zsh", "-n", self.path("_foretrace")], check=True, timeout=60)

    def test_unknown_shell(self):
        self.refuse("completion", "fish", says="'fish' is not bash or zsh")


if __name__ == "__main__":
    unittest.main()
