"""The syntax files know the whole language."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EDITORS = ROOT / "editors"


def operations():
    """As the table in the language's page has them."""
    table = (ROOT / "docs/formats/tiddle.md").read_text().split("| op |")[1].split("\n\n")[0]
    return [word for row in table.splitlines()[2:] for word in re.findall(r"`(\w+)`", row.split("|")[1])]


class Syntax(unittest.TestCase):
    def test_vscode_knows_every_operation(self):
        grammar = json.loads((EDITORS / "vscode/syntaxes/tiddle.tmLanguage.json").read_text())
        event = re.compile(grammar["repository"]["event"]["begin"])
        for operation in operations():
            match = event.match(f"  {operation} 1 x")
            self.assertIsNotNone(match, operation)
            self.assertIn(operation, match.groups())
            self.assertEqual(match.groups()[-2:], ("1", "x"))
        self.assertIsNone(event.match("acqq 1 x"))

    @unittest.skipUnless(shutil.which("vim"), "vim is not installed")
    def test_vim_colours_every_word(self):
        lines = [f"{operation} 1 x" for operation in operations()]
        lines += ["wr 1 x -5 @ a.c:3 # why", "set account a.x a.y", "acqq 1 x"]
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "a.tiddle"
            trace.write_text("\n".join(lines) + "\n")
            answer = pathlib.Path(folder) / "answer"
            script = pathlib.Path(folder) / "ask.vim"
            script.write_text(f"""\
set runtimepath^={EDITORS}/vim
filetype plugin on
syntax on
edit {trace}
let answer = []
for line in range(1, line('$'))
  let groups = []
  for column in range(1, col([line, '$']) - 1)
    let name = synIDattr(synID(line, column, 1), 'name')
    if name != '' && index(groups, name) < 0
      call add(groups, name)
    endif
  endfor
  call add(answer, join(groups))
endfor
call writefile(answer + [&makeprg], '{answer}')
quitall!
""")
            subprocess.run(["vim", "-N", "-u", "NONE", "-es", "-S", script], timeout=60, check=True,
                           stdin=subprocess.DEVNULL, capture_output=True)
            groups = answer.read_text().splitlines()
        for line, found in zip(operations(), groups):
            self.assertRegex(found, r"^tiddle\w+ tiddleThread tiddleObject$", line)
        self.assertEqual(groups[-4:-1],
                         ["tiddleAccess tiddleThread tiddleObject tiddleValue tiddleSite tiddleComment",
                          "tiddleDirective tiddleDeclared tiddleMember", ""])
        self.assertTrue(groups[-1].startswith("foretrace tiddle check"))


if __name__ == "__main__":
    unittest.main()
