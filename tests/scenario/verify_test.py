"""clouduler verify: it finds nothing where nothing is wrong, and every kind of lie where there is one."""
import json
import subprocess

import pytest

from conftest import BINARY, wait_for
from lying_proxy import LIES, LyingProxy


def verify(url, *flags):
    done = subprocess.run([str(BINARY), "verify", "--endpoint", url, "--json", *flags],
                          capture_output=True, text=True, timeout=120)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_node_that_keeps_its_promises_is_good(node):
    code, report = verify(node.url, "--duration", "2")
    assert code == 0 and report["good"], report
    assert report["appends_acknowledged"] > 10
    assert node.cli("stream", "ls", "--prefix", "verify/") == b""  # It cleans up behind itself.


def test_an_honest_proxy_changes_nothing(node):
    with LyingProxy(node.port, "nobody", "drop") as proxy:
        code, report = verify(proxy.url, "--requests", "300")
    assert code == 0 and report["good"], report


@pytest.mark.parametrize("side", ["write", "read"])
@pytest.mark.parametrize("lie", LIES)
def test_every_lie_is_noticed(node, side, lie):
    with LyingProxy(node.port, side, lie) as proxy:
        code, report = verify(proxy.url, "--requests", "600", "--streams", "3")
        assert proxy.lies > 0
    assert code == 1 and not report["good"]
    assert report[LIES[lie]] >= 1, report
    assert LIES[lie] in {finding["fault"] for finding in report["first"]}, report


def test_a_journal_is_judged_later_and_over_restarts(node):
    journal = node.dir / "journal"
    code, report = verify(node.url, "--requests", "300", "--journal", journal)
    assert code == 0, report
    node.kill9()
    node.start()
    code, again = verify(node.url, "--check", journal)
    assert code == 0 and again["good"], again
    assert again["appends_acknowledged"] == report["appends_acknowledged"]


def test_a_journal_whose_writer_was_killed_is_as_good_as_any(node):
    journal = node.dir / "journal"
    writer = subprocess.Popen([str(BINARY), "verify", "--endpoint", node.url, "--journal", journal,
                               "--duration", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for("some appends in the journal", lambda: journal.exists() and journal.read_bytes().count(b" ack ") > 50)
    writer.kill()
    writer.wait()
    code, report = verify(node.url, "--check", journal)
    assert code == 0 and report["appends_acknowledged"] > 50, report


def test_a_disaster_between_journal_and_check_is_noticed(node):
    journal = node.dir / "journal"
    verify(node.url, "--requests", "300", "--streams", "2", "--journal", journal)
    name = node.cli("stream", "ls", "--prefix", "verify/").decode().split()[0]
    node.cli("stream", "delete", name)
    code, report = verify(node.url, "--check", journal)
    assert code == 1 and report["lost"] > 10, report


def test_a_damaged_journal_names_its_line(node):
    journal = node.dir / "journal"
    verify(node.url, "--requests", "20", "--journal", journal)
    lines = journal.read_text().splitlines(keepends=True)
    bad = next(i for i, line in enumerate(lines) if " ack " in line)
    lines[bad] = lines[bad].replace(" ack ", " akk ")
    journal.write_text("".join(lines))
    done = node.cli("verify", "--check", journal, check=False)
    assert done.returncode == 2
    assert b"line %d" % (bad + 1) in done.stderr and done.stderr.count(b"\n") == 1


def test_a_journal_is_never_overwritten(node):
    journal = node.dir / "journal"
    journal.write_text("precious")
    done = node.cli("verify", "--journal", journal, check=False)
    assert done.returncode == 2 and b"exists" in done.stderr
    assert journal.read_text() == "precious"


def test_a_node_that_stays_away_ends_the_run(node):
    node.kill9()
    done = node.cli("verify", "--patience", "0.2", check=False)
    assert done.returncode == 1
    assert b"refused" in done.stderr.splitlines()[-1]
