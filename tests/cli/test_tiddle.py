"""The tiddle commands as users run them."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORETRACE = os.environ.get("FORETRACE", str(ROOT / "build" / "test" / "foretrace"))
TRACES = ROOT / "tests" / "tiddle"


def run(*arguments, text=None):
    return subprocess.run([FORETRACE, "tiddle", *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=120)


class TiddleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="a.tiddle"):
        path = self.folder / name
        path.write_text(text)
        return path


class Commands(TiddleTest):
    def test_each_has_help_with_examples(self):
        for command in ("check", "compile", "equivalents", "fmt"):
            text = run(command, "--help").stdout
            self.assertIn(f"Usage: foretrace tiddle {command} TRACE [OPTIONS]", text)
            self.assertIn(f"foretrace tiddle {command}", text.split("\nExamples:\n")[1])
            for line in text.split("\nExamples:\n")[0].splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_says_what_is_wrong_with_the_command_line(self):
        for words, says in (([], "tiddle needs a command"), (["chek", "x"], "did you mean 'check'?"),
                            (["compile"], "compile needs TRACE"),
                            (["compile", "x", "--to", "pascal"], "is not c++ or java"),
                            (["compile", "x", "--to", "c++", "--schedul", "free"], "did you mean '--schedule'?"),
                            (["fmt", "a", "b"], "one argument too many"),
                            (["compile", self.folder / "none", "--to", "c++"], "No such file")):
            done = run(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(says, done.stderr)


class Errors(TiddleTest):
    def check(self, text, *lines):
        """These lines, among others; and the first one is as in every command."""
        path = self.write(text)
        for command in (("check", path), ("fmt", path), ("compile", path, "--to", "c++")):
            done = run(*command)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertTrue(done.stderr.startswith(f"foretrace: {path}:"), done.stderr)
            for line in lines:
                self.assertIn(line, done.stderr.splitlines())
        other = subprocess.run([FORETRACE, "analyze", path], capture_output=True, text=True)
        self.assertEqual(other.returncode, 2)
        self.assertEqual(other.stderr.count("\n"), 1, other.stderr)
        self.assertEqual(other.stderr.splitlines()[0], run("compile", path, "--to", "c++").stderr.splitlines()[0])

    def test_an_unknown_operation(self):
        self.check("wr 1 x\n  acqq 1 l  # take it\n",
                   f"foretrace: {self.folder}/a.tiddle:2: unknown operation 'acqq'; did you mean 'acq'?",
                   "    2 |   acqq 1 l  # take it",
                   "      |   ^~~~ column 3: expected an operation (rd wr acq rel racq rrel fork join beg end wait "
                   "notify notifyall vrd vwr vrmw barrier alloc free "
                   "ard awr armw), set or unit")

    def test_what_is_missing_or_too_much(self):
        self.check("acq 1\n", "    1 | acq 1", "      |      ^ column 6: expected a lock")
        self.check("beg\n", "      |    ^ column 4: expected a thread")
        self.check("rd 1 x @\n", "      |         ^ column 9: expected a site: file:line")
        self.check("wr 1 x\tfive\n", "    1 | wr 1 x five",
                   "      |        ^~~~ column 8: expected a whole number, or '@' and a site")
        self.check("wr 1 x\nrel 1 l 5\n",
                   "      |         ^ column 9: expected the end of the line, or '@' and a site")
        self.check("wr 1 x\nset account\n", "      |            ^ column 12: expected a location")
        self.check("wr 1 ö\nwr 1 ö ö\n", "      |        ^ column 8: expected a whole number, or '@' and a site")

    def test_what_no_program_can_do(self):
        path = self.write("acq 1 l\nacq 2 l # why\n")
        for command in (("check", path), ("compile", path, "--to", "c++"), ("equivalents", path)):
            done = run(*command)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{path}:2: thread 2 acquires lock l, which thread 1 holds", done.stderr)
            self.assertIn("\n    2 | acq 2 l # why\n      | ^~~~~~~ column 1: here\n", done.stderr)

    def test_people_see_the_line_in_other_commands_too(self):
        path = self.write("acqq 1 l\nwr 1 x\n")
        parent, child = pty.openpty()
        done = subprocess.run([FORETRACE, "analyze", path], stderr=child, stdout=subprocess.DEVNULL)
        os.close(child)
        text = os.read(parent, 10000).decode()
        os.close(parent)
        self.assertEqual(done.returncode, 2)
        self.assertIn("^~~~ column 1: expected", text)

    def test_check_says_everything_at_once(self):
        done = run("check", "-", text="acqq 1 l\nwr 1 x y\n")
        self.assertIn("standard input:1: ", done.stderr)
        self.assertIn("standard input:2: ", done.stderr)
        self.assertIn("standard input: 2 errors", done.stderr)
        done = run("check", "-", text="rel 1 l\nwr 1 x\nrel 2 m\n")
        self.assertIn("standard input:1: thread 1 releases lock l, which it does not hold\n", done.stderr)
        self.assertIn("standard input:3: thread 2 releases lock m, which it does not hold\n", done.stderr)

    def test_check_warns(self):
        done = run("check", "-", text="acq 1 l\nwr 1 a.x\nbeg 1 sum\nset account a.x a.yy\nunit sun acount\n")
        self.assertEqual(done.returncode, 0)
        for words in ("1: warning: lock l is not released", "3: warning: unit sum does not end",
                      "4: warning: no event has the location a.yy", "5: warning: no event has the unit sun",
                      "5: warning: no event has the set acount; did you mean 'account'?"):
            self.assertIn("standard input:" + words, done.stderr)
        self.assertEqual(done.stdout, "standard input: 3 events, 1 thread, 1 location, 1 lock; 5 warnings\n")


class Format(TiddleTest):
    UGLY = "\n\n#  Two threads.\n\n\n   rd 1   x 5@x\n".replace(" 5@x", "") + \
           "barrier 22 b # all\twait \nvwr 1 flag 12 @ a.c:3  # go\n\nset  a   x  flag  \r\n\n"
    NEAT = "#  Two threads.\n\nrd      1  x\nbarrier 22 b                # all\twait\n" \
           "vwr     1  flag 12 @ a.c:3  # go\n\nset a x flag\n"

    def test_puts_words_into_columns(self):
        self.assertEqual(run("fmt", "-", text=self.UGLY).stdout, self.NEAT)
        self.assertEqual(run("fmt", "-", text=self.NEAT).stdout, self.NEAT)

    def test_in_place_and_check(self):
        path = self.write(self.UGLY)
        self.assertEqual(run("fmt", "--check", path).returncode, 1)
        self.assertEqual(run("fmt", "-i", path).returncode, 0)
        self.assertEqual(path.read_text(), self.NEAT)
        self.assertEqual(run("fmt", "--check", path).returncode, 0)

    def test_the_trace_stays_the_same(self):
        for trace in [*TRACES.glob("*.tiddle"), *(ROOT / "tests" / "traces").glob("*/*.tiddle")]:
            neat = self.write(run("fmt", trace).stdout)
            events = [subprocess.run([FORETRACE, "convert", "--unnested", path, "-", "--output-format", "tiddle"],
                                     capture_output=True, text=True).stdout for path in (trace, neat)]
            self.assertEqual(*events)
            self.assertEqual(run("fmt", neat).stdout, neat.read_text())


class Equivalents(TiddleTest):
    def test_the_two_of_the_paper(self):
        done = run("equivalents", "-", text="rd 1 x 0\nwr 2 x 1\n")
        self.assertEqual(done.stdout, "# 1\nrd 1 x 0\nwr 2 x 1\n\n# 2\nwr 2 x 1\nrd 1 x 1\n")
        self.assertEqual(run("equivalents", "-", "--count", text="rd 1 x\nwr 2 x\n").stdout, "2\n")
        self.assertEqual(run("equivalents", "-", "--count", "--order", "cr", text="rd 1 x\nwr 2 x\n").stdout, "1\n")

    def test_is_a_lazy_stream(self):
        path = self.write("".join(f"wr {i % 9} x{i % 9}\n" for i in range(900)))
        self.assertEqual(run("equivalents", path, "--limit", "3").stdout.count("# "), 3)
        done = subprocess.run(["sh", "-c", '"$0" tiddle equivalents "$1" | head -n 2000 | tail -n 1',
                               FORETRACE, path], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        self.assertTrue(done.stdout.startswith("wr "))

    def test_many_in_one_program(self):
        for language in ("c++", "java"):
            text = run("compile", "-", "--to", language, "--equivalents", "10", text="wr 1 x\nwr 2 y\nrd 1 y\n").stdout
            self.assertEqual(text.count("namespace trace_") // 2 if language == "c++" else text.count("static class"), 3)


class Compile(TiddleTest):
    def test_the_program_of_two_lines(self):
        text = run("compile", TRACES / "race.tiddle", "--to", "c++", "--schedule", "free").stdout
        self.assertTrue(text.endswith("""\
namespace trace {

int x = 0;

void thread_1() {
  use(x);
}

void thread_2() {
  x = 1;
}

void run() {
  std::thread t1(thread_1);
  std::thread t2(thread_2);
  t1.join();
  t2.join();
}

}  // namespace trace

int main() {
  trace::run();
}
"""), text)

    def test_units_as_blocks_and_as_methods(self):
        trace = TRACES / "units.tiddle"
        text = run("compile", trace, "--to", "c++").stdout
        self.assertIn('  {\n    FORETRACE_UNIT("transfer");\n', text)
        self.assertIn("// account_balance, account_owner belong together: account.\n", text)
        text = run("compile", trace, "--to", "c++", "--units", "methods").stdout
        self.assertIn('void read_balance() {\n', text)
        text = run("compile", trace, "--to", "java", "--units", "methods").stdout
        self.assertIn('    @Atomic("read-balance")\n    static void read_balance() {\n', text)
        self.assertIn("    // @Atomic(\"transfer\")\n", run("compile", trace, "--to", "java").stdout.replace("    " * 2, "    "))

    def test_java_classes_are_called_like_their_file(self):
        path = self.folder / "hidden-race.java"
        self.assertEqual(run("compile", TRACES / "race.tiddle", "--to", "java", "-o", path).returncode, 0)
        self.assertIn("\nclass hidden_race {", path.read_text())

    def test_sites_lead_back_to_the_source(self):
        text = run("compile", "-", "--to", "c++", text="wr 1 x 3 @ bank.cpp:41\n").stdout
        self.assertIn("  x = 3;  // bank.cpp:41\n", text)

    def test_names_and_sites_stay_text(self):
        trace = self.write('wr 1 x 1 @ C:\\bank\\\nwr 1 y 2 @ what??/\nwr 1 z 3 @ a\\u000aSystem.exit(7);\n'
                           'beg 1 really??!\nend 1 really??!\nwr 1 w 4 @ \u202eevil\nbeg 1 \u2066\nend 1 \u2066\n'
                           'set back\\ x y\n', "odd\\.tiddle")
        program = self.folder / "odd.cpp"
        for schedule in ("free", "lockstep"):
            self.assertEqual(run("compile", trace, "--to", "c++", "--schedule", schedule, "--log", "-o", program).returncode, 0)
            for compiler in filter(shutil.which, ("g++", "clang++-22")):
                built = subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT}/include", program,
                                        "-o", self.folder / "odd"], capture_output=True, text=True)
                self.assertEqual(built.stderr, "")
                ran = subprocess.run([self.folder / "odd"], capture_output=True, text=True)
                self.assertEqual(ran.stdout, "wr 1 x 1\nwr 1 y 2\nwr 1 z 3\nbeg 1 really??!\nend 1 really??!\nwr 1 w 4\n"
                                             "beg 1 \\u2066\nend 1 \\u2066\n")
        if shutil.which("java") and shutil.which("javac"):
            self.assertEqual(run("compile", trace, "--to", "java", "--log", "-o", self.folder / "Odd.java").returncode, 0)
            ran = subprocess.run(["java", self.folder / "Odd.java"], capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stdout.count("\n")), (0, 8), ran.stderr)

    def test_takes_any_format(self):
        text = run("compile", "-", "--to", "c++", text="T1|w(x)|12\nT2|r(x)|13\n").stdout
        self.assertIn("void thread_T2() {", text)


if __name__ == "__main__":
    unittest.main()
