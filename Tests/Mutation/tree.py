"""The copy of the package that has the mutants, and its build."""

import os
import pathlib
import re
import subprocess
import sys

import mutants

# The tests that are run, and no more: the rest would only take time to build.
MANIFEST = """
package.products = []
package.targets.removeAll {{
    $0.type == .executable || $0.type == .test && !{suites}.contains($0.name)
}}
"""
# Public, as it may stand in the default of a public function's argument.
SWITCH = """internal import Glibc

private let chosen = getenv("MUTANT").flatMap {{ Int(String(cString: $0)) }} ?? 0

public func mutantOf{module}(_ number: Int) -> Bool {{ chosen == number }}
"""
ERROR = re.compile(r"^(/.*\.swift):(\d+):\d+: error: (.*)$", re.MULTILINE)
# Each after those that it imports.
MODULES = ["BLE", "BLESession", "BLEDBus", "BlueZ", "MagicEightBall"]
MAXIMUM_ROUNDS = 16
LAST_FILLED_ROUND = 10


class BuildFailed(Exception):
    pass


class Tree:
    def __init__(self, root, folder, suites, jobs):
        self.root = pathlib.Path(root).resolve()
        self.folder = pathlib.Path(folder).resolve()
        self.suites = sorted(suites)
        self.jobs = jobs
        self.lines = {}

    @property
    def tests(self):
        return self.folder / ".build/debug/magic-eightballPackageTests.xctest"

    def build(self, choice):
        """Builds the mutated modules; takes out of the choice what does not compile."""
        for round in range(MAXIMUM_ROUNDS):
            if round <= LAST_FILLED_ROUND:
                choice.fill()
            self.write(choice.mutants)
            broken = self.broken(choice.mutants)
            if not broken:
                return
            choice.refuse(broken)
            say(f"{len(broken)} do not compile; building again")
        raise BuildFailed(f"after {MAXIMUM_ROUNDS} rounds mutants still do not compile")

    def build_tests(self):
        self.swift_build("--build-tests", checked=True)

    def write(self, chosen):
        """Brings the copy up to date; files that are as they should be stay untouched."""
        wanted = {}
        for path in self.listed():
            wanted[path] = (self.root / path).read_bytes()
        manifest = wanted["Package.swift"].decode()
        # A mutant may well leave code that is never reached.
        manifest = manifest.replace(".treatAllWarnings(as: .error)", ".treatAllWarnings(as: .warning)")
        suites = str(self.suites).replace("'", '"')
        wanted["Package.swift"] = (manifest + MANIFEST.format(suites=suites)).encode()
        self.lines = {}
        numbered = list(enumerate(chosen, 1))
        for file in {mutant.file for mutant in chosen}:
            here = [pair for pair in numbered if pair[1].file == file]
            wanted[file], lines = mutants.render(wanted[file], here)
            self.lines.update(lines)
        for module in {mutant.module for mutant in chosen}:
            wanted[f"Sources/{module}/MutantSwitch.swift"] = SWITCH.format(module=module).encode()
        for path, text in wanted.items():
            target = self.folder / path
            if not target.is_file() or target.read_bytes() != text:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text)
        for top in ("Sources", "Tests", "Apps"):
            for path in (self.folder / top).rglob("*"):
                if path.is_file() and str(path.relative_to(self.folder)) not in wanted:
                    path.unlink()

    def listed(self):
        command = ["git", "ls-files", "-co", "--exclude-standard", "Sources", "Tests", "Apps"]
        output = subprocess.run(command, cwd=self.root, check=True, stdout=subprocess.PIPE).stdout
        paths = {path for path in output.decode().split("\n") if path}
        paths |= {"Package.swift", "Package.resolved"}
        return sorted(path for path in paths if (self.root / path).is_file())

    def broken(self, chosen):
        """The mutants that the compiler refuses, in the first module where it does."""
        for module in sorted({mutant.module for mutant in chosen}, key=MODULES.index):
            output = self.swift_build("--target", module)
            if output is None:
                continue
            errors = ERROR.findall(output)
            broken = set()
            for path, line, _ in errors:
                broken |= self.at(pathlib.Path(path), int(line), chosen)
            if not broken:
                raise BuildFailed(output[-4000:])
            return [mutant for mutant in chosen if mutant in broken]
        return []

    def at(self, path, line, chosen):
        """The mutants at a line; else those of the declaration around it; else the file's."""
        file = os.path.relpath(path.resolve(), self.folder.resolve())
        here = [(number, mutant) for number, mutant in enumerate(chosen, 1) if mutant.file == file]
        exact = {one for number, one in here if self.lines[number][0] <= line <= self.lines[number][1]}
        around = {one for _, one in here if one.scope[0] <= line <= one.scope[1]}
        return exact or around or {one for _, one in here}

    def swift_build(self, *words, checked=False):
        """Its output when it fails, else nothing."""
        command = ["swift", "build", "-debug-info-format", "none", *words]
        if self.jobs:
            command += ["--jobs", str(self.jobs)]
        done = subprocess.run(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode and checked:
            raise BuildFailed(done.stdout[-4000:])
        return done.stdout if done.returncode else None


def say(words):
    print(f"mutate: {words}", file=sys.stderr, flush=True)
