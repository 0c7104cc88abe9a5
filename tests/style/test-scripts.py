#!/usr/bin/python3
"""Test the scripts that "make" stands on: setup, check, check-layers.

usage: test-scripts.py ROOT
"""
import importlib.machinery
import importlib.util
import os
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.abspath(sys.argv[1])
ALL = 'for p; do case $p in -*|*{*) ;; *) echo "$p installed";; esac; done'


def load(name):
    """A script as a module, without running it."""
    path = os.path.join(ROOT, "scripts", name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Setup(unittest.TestCase):
    """scripts/setup, with programs of our own in place of the real ones."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="wick-scripts-")
        self.bin = os.path.join(self.folder.name, "bin")
        os.mkdir(self.bin)
        for name in ("sh", "sed", "dirname", "env"):
            os.symlink(f"/usr/bin/{name}", os.path.join(self.bin, name))
        self.fake("apt-get", 'echo "apt-get $*"')
        self.fake("id", "echo 0")

    def tearDown(self):
        self.folder.cleanup()

    def fake(self, name, body):
        path = os.path.join(self.bin, name)
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\n{body}\n")
        os.chmod(path, stat.S_IRWXU)

    def run_setup(self):
        return subprocess.run([os.path.join(ROOT, "scripts", "setup")],
                              env={"PATH": self.bin}, text=True,
                              capture_output=True)

    def test_nothing_happens_when_all_is_installed(self):
        self.fake("dpkg-query", ALL)
        r = self.run_setup()
        self.assertEqual((r.returncode, r.stdout, r.stderr), (0, "", ""))

    def test_what_is_missing_is_named_and_installed(self):
        self.fake("dpkg-query", f"( {ALL} ) | grep -v '^mandoc '; exit 1")
        os.symlink("/usr/bin/grep", os.path.join(self.bin, "grep"))
        r = self.run_setup()
        self.assertEqual(r.returncode, 0, r.stderr)
        lines = r.stdout.splitlines()
        self.assertEqual(lines[0], "setup: installing mandoc")
        self.assertEqual(lines[1], "apt-get -q update")
        self.assertTrue(lines[2].endswith(" mandoc"), lines[2])

    def test_a_removed_package_is_missing(self):
        self.fake("dpkg-query", ALL + " | sed 's/^curl .*/curl config-files/'")
        self.assertIn("installing curl\n", self.run_setup().stdout)

    def test_without_root_or_sudo_it_says_what_to_run(self):
        self.fake("dpkg-query", "exit 1")
        self.fake("id", "echo 1000")
        r = self.run_setup()
        self.assertEqual(r.returncode, 1)
        self.assertIn("apt-get update && apt-get install ", r.stderr)
        self.assertEqual(r.stdout, "")

    def test_without_root_sudo_is_used(self):
        self.fake("dpkg-query", "exit 1")
        self.fake("id", "echo 1000")
        self.fake("sudo", 'echo "sudo $1"')
        r = self.run_setup()
        self.assertEqual(r.stdout.splitlines()[1:], ["sudo apt-get",
                                                     "sudo env"])

    def test_another_system_is_told_where_the_list_is(self):
        r = self.run_setup()
        self.assertEqual(r.returncode, 0)
        self.assertIn("packages.txt", r.stderr)

    def test_every_package_has_a_reason(self):
        with open(os.path.join(ROOT, "scripts", "packages.txt")) as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    self.assertRegex(line, r"^[-a-z0-9+.]+ +# \S")


class Check(unittest.TestCase):
    """How scripts/check counts."""

    def judge(self, result, stdout, status=0):
        check = load("check")
        check.show_failure = lambda name, test: None
        count = check.Count()
        check.judge("b", {"name": "wick:unit / x", "result": result,
                          "stdout": stdout, "returncode": status}, count)
        return count.passed, count.failed, count.skipped

    def test_points_of_tap_count_one_each(self):
        out = "ok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no dot\n1..3\n"
        self.assertEqual(self.judge("ERROR", out, 1),
                         (1, 1, ["b: unit / x: c: no dot"]))

    def test_a_program_that_breaks_off_has_failed(self):
        out = "1..2\nok 1 - a\nBail out! crashed in b\n"
        self.assertEqual(self.judge("ERROR", out, -11), (1, 1, []))

    def test_a_program_without_tap_counts_as_one(self):
        self.assertEqual(self.judge("OK", "fine\n"), (1, 0, []))
        self.assertEqual(self.judge("FAIL", "bad\n", 1), (0, 1, []))
        self.assertEqual(self.judge("TIMEOUT", "", -9), (0, 1, []))

    def test_a_skip_shows_the_last_line_as_its_reason(self):
        self.assertEqual(self.judge("SKIP", "a\nno perf events\n", 77),
                         (0, 0, ["b: unit / x: no perf events"]))
        self.assertEqual(self.judge("SKIP", "1..0 # SKIP no kernel\n"),
                         (0, 0, ["b: unit / x: no kernel"]))


class Layers(unittest.TestCase):
    """What scripts/check-layers.py refuses."""

    TABLE = {"lib/base": set(), "lib/elf": {"lib/base"},
             "tool/cmd": {"lib/base", "lib/elf"}, "agent": {"lib/base"},
             "tool": {"lib/base", "tool/cmd"}}

    def fault(self, here, kind, name):
        return load("check-layers.py").fault(here, kind, name, self.TABLE,
                                             {"stdio.h"})

    def test_down_is_allowed_up_is_not(self):
        self.assertIsNone(self.fault("lib/elf", '"', "base/arena.h"))
        self.assertIsNone(self.fault("lib/elf", '"', "elf/image.h"))
        self.assertIsNone(self.fault("tool", '"', "cmd/command.h"))
        self.assertTrue(self.fault("lib/base", '"', "elf/image.h"))
        self.assertTrue(self.fault("agent", '"', "cmd/command.h"))
        self.assertTrue(self.fault("lib/elf", '"', "unheard/of.h"))
        self.assertTrue(self.fault("lib/elf", '"', "image.h"))

    def test_every_folder_needs_a_row(self):
        row_of = load("check-layers.py").row_of
        self.assertEqual(row_of("tool/main.c", self.TABLE), "tool")
        self.assertEqual(row_of("tool/new/x.c", self.TABLE), "")
        self.assertEqual(row_of("lib/elf/arch/x.c", self.TABLE), "lib/elf")
        self.assertEqual(row_of("agent/x.c", self.TABLE), "agent")

    def test_stdio_is_for_the_command_only(self):
        self.assertTrue(self.fault("lib/base", "<", "stdio.h"))
        self.assertTrue(self.fault("agent", "<", "stdio.h"))
        self.assertIsNone(self.fault("tool/cmd", "<", "stdio.h"))
        self.assertIsNone(self.fault("lib/base", "<", "string.h"))


unittest.main(argv=["test-scripts"])
