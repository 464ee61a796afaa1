"""Disks that fail or change what is on them: nothing is silently shorter, and a human is told where."""
import re
import signal

import pytest
import requests

from conftest import wait_for
from faults import FaultyDisk

TYPE = {"Content-Type": "application/octet-stream"}
ONE = b"the first stream's record, one of a kind "
TWO = b"the second stream's record, not like it  "


def urls(wal, dir):
    return {"wal": f"{wal}://{dir}/wal", "storage": f"file://{dir}/objects",
            "meta_url": f"sqlite:{dir}/meta.db"}


def start_with_two_streams(node):
    node.start()
    for name, content in (("one", ONE), ("two", TWO)):
        assert requests.put(node.stream(name), headers=TYPE).status_code == 201
        assert requests.post(node.stream(name), data=content * 100, headers=TYPE).ok
    return node


def flip_byte_of(directory, text):
    """Flips one byte of the last place below `directory` where `text` is; returns (file, position)."""
    for path in sorted(directory.rglob("*")):
        if path.is_file() and (at := path.read_bytes().rfind(text)) >= 0:
            with path.open("r+b") as file:
                file.seek(at + 5)
                byte = file.read(1)
                file.seek(at + 5)
                file.write(bytes([byte[0] ^ 1]))
            return path, at + 5
    pytest.fail(f"{text} is nowhere below {directory}")


def read(node, name):
    return requests.get(node.stream(name), params={"offset": "-1"}, timeout=30)


def expect_damage(node, path):
    """Stream one answers 500 and names the file and a position; stream two is as it was."""
    answer = read(node, "one")
    assert answer.status_code == 500, answer.text
    assert path.name in answer.text, answer.text
    assert re.search(r"\b\d+\b", answer.text.replace(path.name, "")), answer.text
    two = read(node, "two")
    assert two.status_code == 200 and two.content == TWO * 100
    assert requests.post(node.stream("two"), data=b"more", headers=TYPE).ok
    assert read(node, "two").content == TWO * 100 + b"more"


@pytest.mark.parametrize("wal", ["file", "chain+file"])
def test_a_flipped_byte_in_the_log_costs_one_stream_and_is_named(new_node, tmp_path, wal):
    node = start_with_two_streams(new_node(**urls(wal, tmp_path)))
    node.kill9()
    path, _ = flip_byte_of(tmp_path / "wal", ONE)
    node.start()
    assert path.name in node.output()
    expect_damage(node, path)
    # It stays so: nothing was thrown away, nothing became shorter.
    node.kill9()
    node.start()
    answer = read(node, "one")
    assert answer.status_code == 500 and path.name in answer.text
    assert read(node, "two").content == TWO * 100 + b"more"


@pytest.mark.parametrize("wal", ["file", "chain+file"])
def test_a_flipped_byte_of_a_header_in_the_log_costs_nothing(new_node, tmp_path, wal):
    node = start_with_two_streams(new_node(**urls(wal, tmp_path)))
    node.kill9()
    flip_byte_of(tmp_path / "wal", b"CWRH" if wal == "file" else b"CWCO")
    node.start()
    assert read(node, "one").content == ONE * 100
    assert read(node, "two").content == TWO * 100
    assert node.terminate() == 0


def test_a_flipped_byte_in_a_data_object_costs_one_stream_and_is_named(new_node, tmp_path):
    node = start_with_two_streams(new_node(**urls("file", tmp_path)))
    assert node.terminate() == 0
    path, _ = flip_byte_of(tmp_path / "objects", ONE)
    node.start()
    expect_damage(node, path)


def test_a_torn_tail_is_cut_with_one_line(new_node, tmp_path):
    node = start_with_two_streams(new_node(**urls("file", tmp_path)))
    requests.post(node.stream("two"), data=b"x" * 20_000, headers=TYPE)
    node.kill9()
    segment = sorted((tmp_path / "wal").rglob("*.wal"))[0]
    content = segment.read_bytes()
    with segment.open("r+b") as file:  # As if the last block of the last write had not come through.
        file.truncate(content.rfind(b"CWRT") // 4096 * 4096)
    before = node.output().count("\n")
    node.start()
    told = [line for line in node.output().splitlines()[before:] if segment.name in line]
    assert len(told) == 1, told
    assert read(node, "two").content == TWO * 100
    assert read(node, "one").content == ONE * 100


# An object of a chain that could not be written is not there: no reason to stop.
@pytest.mark.parametrize("wal, fault", [("file", "sync"), ("file", "write"), ("chain+file", "sync")])
def test_a_disk_that_fails_to_sync_ends_the_process_with_one_line(new_node, tmp_path, wal, fault):
    faulty = FaultyDisk(tmp_path / "wal", tmp_path)
    node = start_with_two_streams(new_node(env=faulty.env, **urls(wal, tmp_path)))
    before = node.output().count("\n")
    faulty.fail(fault)
    with pytest.raises(requests.ConnectionError):
        requests.post(node.stream("one"), data=b"never acknowledged", headers=TYPE, timeout=30)
    assert node.wait_exit() == -signal.SIGABRT
    told = node.output().splitlines()[before:]
    assert len(told) == 1 and "fatal:" in told[0] and str(tmp_path / "wal") in told[0], told
    faulty.fail()
    node.start()
    one = read(node, "one").content
    assert one in (ONE * 100, ONE * 100 + b"never acknowledged")
    assert read(node, "two").content == TWO * 100


def test_a_store_that_turns_read_only_is_named_and_costs_nothing(new_node, tmp_path):
    faulty = FaultyDisk(tmp_path / "objects", tmp_path)
    node = start_with_two_streams(new_node(env=faulty.env, **urls("file", tmp_path)))
    faulty.fail("read-only")
    wait_for("a line about the store", lambda: str(tmp_path / "objects") in node.output())
    assert "Read-only file system" in node.output()
    assert read(node, "one").content == ONE * 100
    assert requests.post(node.stream("one"), data=b"more", headers=TYPE).ok
    faulty.fail()
    assert node.terminate() == 0
    node.start()
    assert read(node, "one").content == ONE * 100 + b"more"


def test_a_store_that_vanishes_is_named_and_comes_back(new_node, tmp_path):
    node = start_with_two_streams(new_node(**urls("file", tmp_path)))
    node.restart()  # All is in the store, nothing in the log.
    objects = tmp_path / "objects"
    objects.rename(tmp_path / "away")
    answer = read(node, "one")
    assert answer.status_code in (500, 503), answer.text
    assert str(objects) in answer.text, answer.text
    (tmp_path / "away").rename(objects)
    assert read(node, "one").content == ONE * 100
    assert node.terminate() == 0


def test_a_store_that_cannot_be_used_refuses_the_start_in_one_line(new_node, tmp_path):
    (tmp_path / "objects").write_text("a file")
    node = new_node(**urls("file", tmp_path)).start(wait=False)
    assert node.wait_exit() == 2
    assert str(tmp_path / "objects") in node.output()
    assert node.output().count("\n") == 1


def test_a_missing_segment_is_named_and_the_start_says_what_to_do(new_node, tmp_path):
    faulty = FaultyDisk(tmp_path / "objects", tmp_path)
    node = new_node(env=faulty.env, **urls("file", tmp_path)).start()
    assert requests.put(node.stream("big"), headers=TYPE).status_code == 201
    faulty.fail("read-only")  # Nothing is uploaded, so all of the log is needed.
    for _ in range(35):
        assert requests.post(node.stream("big"), data=bytes(4 << 20), headers=TYPE).ok
    node.kill9()
    faulty.fail()
    segments = sorted((tmp_path / "wal").rglob("*.wal"))
    assert len(segments) >= 3
    segments[1].rename(tmp_path / "kept.wal")
    before = node.output().count("\n")
    node.start(wait=False)
    assert node.wait_exit() == 1
    told = node.output().splitlines()[before:]
    assert any(segments[1].name in line and "put it back" in line for line in told), told
    (tmp_path / "kept.wal").rename(segments[1])
    node.start()
    size = int(requests.head(node.stream("big")).headers["Stream-Next-Offset"].split("_")[1])
    assert size == 35
    assert node.terminate() == 0
