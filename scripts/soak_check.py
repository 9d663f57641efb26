"""Whether scripts/soak says the right thing of what it runs, keeps its log short, and ends when it is told to: with small programs in the place of tests."""

import contextlib
import io
import os
import pathlib
import re
import signal
import sys
import tempfile
import threading

from swift_source import without_comments_and_strings

CLOSING = "print('✔ Test run with 2 tests in 1 suite passed after 1 second.', flush=True)"
# Programs, how each is told to have gone, and a line that has to be in what is said of it, or one that must not.
SAMPLES = [
    (f"print('histories: 5 calls'); print('SKIPPED: networks'); print('noise'); {CLOSING}", "passed", "histories: 5 calls", "noise"),
    (f"print('histories: 3 of 30 min, 4 faults'); print('SKIPPED: clocks'); {CLOSING}", "passed", "SKIPPED: clocks", "3 of 30 min"),
    ("print('✘ Test nodes() recorded an issue'); print('✘ Test run with 2 tests failed'); exit(1)", "FAILED", "recorded an issue", "passed"),
    # Nothing failed, and nothing was run to its end.
    ("print('histories: 5 calls')", "FAILED", "histories: 5 calls", "passed"),
    ("print('✔ Test run with 0 tests passed after 1 second.')", "FAILED", "0 tests", None),
    # As on a terminal that has colours.
    ("print('\\x1b[92m✔\\x1b[0m Test run with 2 tests in 1 suite \\x1b[1mpassed\\x1b[0m after 1 second.')", "passed", "passed", "\x1b"),
    ("print('\\x1b[91m✘\\x1b[0m Test nodes() recorded an issue'); exit(1)", "FAILED", "✘ Test nodes() recorded an issue", "\x1b"),
    # A suite that nobody ran; of one test it is only said.
    (f"print('➜ Suite \"Histories\" skipped: \"no PostgreSQL is installed\"'); {CLOSING}", "FAILED", "no PostgreSQL is installed", None),
    (f"print('➜ Suite CutConnectionTests skipped.'); {CLOSING}", "FAILED", "CutConnectionTests skipped.", None),
    (f"print('➜ Test \"In networks\" skipped: \"no namespaces\"'); {CLOSING}", "passed", "no namespaces", None),
    (f"{CLOSING}; import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "FAILED", "it ended with -9", None),
    (f"for n in range(100): print('✘ fault', n)\n{CLOSING}", "passed", "60 lines more of faults", "fault 40"),
]


def step_of(soak, program, **more):
    return soak.Step("sample", [sys.executable, "-c", program], **more)


def of_outcomes(soak, folder):
    for number, (program, outcome, said, unsaid) in enumerate(SAMPLES):
        step = step_of(soak, program)
        with contextlib.redirect_stdout(io.StringIO()):
            soak.run([step], soak.Log(folder / f"{number}.log"), soak.Ending(folder / "none"))
        text = "\n".join(step.summary())
        if step.outcome != outcome or said not in text or unsaid and unsaid in text:
            yield f"of this program it is said: {text!r}\n{program}"
    steps = [step_of(soak, "exit(1)"), step_of(soak, CLOSING)]
    with contextlib.redirect_stdout(io.StringIO()):
        soak.run(steps, soak.Log(folder / "two.log"), soak.Ending(folder / "none"))
    if [step.outcome for step in steps] != ["FAILED", "not run"]:
        yield "after what failed the next is run"


def code(file):
    """What a Swift file says beside comments and strings."""
    return without_comments_and_strings(file.read_text(encoding="utf-8"))


def of_suites(soak, _):
    """What a filter finds no more is not missed where another name beside it finds something."""
    for name in [soak.HISTORIES, soak.NEEDED, soak.CUTS, *soak.ONCE]:
        *target, suite = name.rsplit(".", 1)
        files = list((soak.ROOT.joinpath("Tests", *target)).rglob("*.swift"))
        found = [code(file) for file in files if re.search(rf"^struct {suite}\b", file.read_text(encoding="utf-8"), re.MULTILINE)]
        if len(found) != 1:
            yield f"{name} is {len(found)} suites"
        elif name in soak.ONCE and "attackRounds(" not in found[0]:
            yield f"OSTIARY_ATTACK_ROUNDS is nothing to {name}"


def of_logs(soak, folder):
    log = soak.Log(folder / "long.log", most=1_000)
    for _ in range(1_000):
        log.write("ein Über-langer Text\n")
    size = (folder / "long.log").stat().st_size
    if not 900 < size < 1_050:
        yield f"of a log of a thousand bytes {size} are kept"
    for number in range(9):
        for ending in ("log", "txt"):
            (folder / f"2026010{number}-000000-7.{ending}").touch()
    soak.forget_old(folder)
    if sorted(file.name[:8] for file in folder.glob("2026*.txt")) != [f"2026010{number}" for number in range(4, 9)]:
        yield "not the last five runs are kept"


# Says that it is there, and waits until it is told to end by the file, or at all. Like swift test it leaves to its library when it is said: to a pipe, not yet.
PATIENT = """
import os, sys, time
out = open(1, 'w', closefd=False)
print('histories: begun', file=out)
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
print('histories: ended', file=out, flush=True)
"""
DEAF = "import time; print('histories: begun', flush=True); time.sleep(60)"
FAILING = "print('✘ Test nodes() recorded an issue', flush=True); " + DEAF


def of_endings(soak, folder):
    """Told to end once what looks for the file ends well, and what does not is broken off; told twice everything is."""
    for name, program, is_patient, times, outcome in (
            ("in good order", PATIENT + CLOSING, True, 1, "passed, ended early"), ("one that does not look", DEAF, False, 1, "broken off"),
            ("told twice", DEAF, True, 2, "broken off"), ("failed before", FAILING, False, 1, "FAILED")):
        file = folder / f"{name}.stop"
        step, ending = step_of(soak, program, is_patient=is_patient), soak.Ending(file)
        step.command.append(str(file))
        original = step.note

        def note(line, original=original, times=times):
            original(line)
            if line == "histories: begun":
                for _ in range(times):
                    os.kill(os.getpid(), signal.SIGTERM)

        step.note = note
        former = signal.signal(signal.SIGTERM, ending)
        rescue = threading.Timer(30, lambda: ending.process and os.killpg(ending.process.pid, signal.SIGKILL))
        rescue.start()
        later = step_of(soak, CLOSING)
        with contextlib.redirect_stdout(io.StringIO()):
            soak.run([step, later], soak.Log(folder / "ending.log"), ending)
        rescue.cancel()
        signal.signal(signal.SIGTERM, former)
        if (step.outcome, later.outcome) != (outcome, "not run"):
            yield f"{name}: it is said that it {step.outcome}, and of the next that it {later.outcome}"


def main(soak):
    with tempfile.TemporaryDirectory() as name:
        found = [fault for check in (of_outcomes, of_suites, of_logs, of_endings) for fault in check(soak, pathlib.Path(name))]
    for fault in found:
        print(f"soak: {fault}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"soak: {len(SAMPLES)} programs are told about as they went, each suite is there, logs are short, and it ends when told to")
