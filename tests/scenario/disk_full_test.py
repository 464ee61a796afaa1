"""A disk without space: appends are refused with 507, reads go on, and it passes by itself."""
import requests

import pytest

from conftest import wait_for
from faults import FaultyDisk, fill, small_disk

BODY = bytes(range(256)) * 1024  # 256 KiB
TYPE = {"Content-Type": "application/octet-stream"}


def urls(wal, dir):
    return {"wal": f"{wal}://{dir}/wal", "storage": f"file://{dir}/objects",
            "meta_url": f"sqlite:{dir}/meta.db"}


def append(node, number):
    """One numbered append; its status code."""
    body = number.to_bytes(8, "big") + BODY
    return requests.post(node.stream("full"), data=body, headers=TYPE, timeout=30).status_code


def append_until_refused(node, acknowledged):
    for _ in range(2000):
        number = len(acknowledged)
        status = append(node, number)
        if status == 507:
            return
        assert status in (200, 204), status
        acknowledged.append(number)
    pytest.fail("a disk that is full takes everything")


def read_numbers(node):
    """The numbers of all appends in the stream, in order; fails on anything that is not one."""
    data, offset = b"", "-1"
    while True:
        answer = requests.get(node.stream("full"), params={"offset": offset}, timeout=30)
        assert answer.status_code == 200, answer.text
        data += answer.content
        offset = answer.headers["Stream-Next-Offset"]
        if "Stream-Up-To-Date" in answer.headers:
            break
    size = 8 + len(BODY)
    assert len(data) % size == 0
    parts = [data[at:at + size] for at in range(0, len(data), size)]
    assert all(part[8:] == BODY for part in parts)
    return [int.from_bytes(part[:8], "big") for part in parts]


@pytest.mark.parametrize("wal", ["file", "chain+file"])
@pytest.mark.parametrize("kind", ["ext4", "tmpfs"])
def test_a_full_disk_refuses_appends_and_recovers_by_itself(new_node, tmp_path, wal, kind):
    with small_disk(tmp_path / "disk", 320, kind) as disk:
        node = new_node(**urls(wal, disk), heartbeat_interval_sec=0.5, node_timeout_sec=5).start()
        assert requests.put(node.stream("full"), headers=TYPE).status_code == 201
        acknowledged = []
        for _ in range(8):
            assert append(node, len(acknowledged)) in (200, 204)
            acknowledged.append(len(acknowledged))

        ballast = fill(disk)
        append_until_refused(node, acknowledged)
        assert append(node, len(acknowledged)) == 507
        assert read_numbers(node) == acknowledged

        ballast.unlink()
        wait_for("appends after there is space again",
                 lambda: append(node, len(acknowledged)) in (200, 204))
        acknowledged.append(len(acknowledged))
        assert append(node, len(acknowledged)) in (200, 204)
        acknowledged.append(len(acknowledged))
        assert read_numbers(node) == acknowledged

        node.kill9()
        node.start()
        assert read_numbers(node) == acknowledged
        assert node.terminate() == 0
        node.start()
        assert read_numbers(node) == acknowledged
        node.kill9()


@pytest.mark.parametrize("wal", ["file", "chain+file"])
def test_a_node_killed_on_a_full_disk_starts_when_there_is_space(new_node, tmp_path, wal):
    with small_disk(tmp_path / "disk", 256) as disk:
        node = new_node(**urls(wal, disk)).start()
        assert requests.put(node.stream("full"), headers=TYPE).status_code == 201
        acknowledged = []
        ballast = fill(disk)
        append_until_refused(node, acknowledged)
        node.kill9()
        ballast.unlink()
        node.start()
        assert read_numbers(node) == acknowledged
        node.kill9()


def test_sqlite_without_space_costs_no_acknowledged_record(new_node, tmp_path):
    """Only the command log's disk is full: what needs no command goes on."""
    faulty = FaultyDisk(tmp_path / "meta", tmp_path)
    (tmp_path / "meta").mkdir()
    node = new_node(env=faulty.env, wal=f"file://{tmp_path}/wal", storage=f"file://{tmp_path}/objects",
                    meta_url=f"sqlite:{tmp_path}/meta/meta.db",
                    heartbeat_interval_sec=0.2, node_timeout_sec=2).start()
    assert requests.put(node.stream("full"), headers=TYPE).status_code == 201
    assert append(node, 0) in (200, 204)
    faulty.fail("full")
    for number in range(1, 20):
        assert append(node, number) in (200, 204)
    refused = requests.put(node.stream("another"), headers=TYPE, timeout=60)
    assert refused.status_code in (503, 507), refused.text
    assert read_numbers(node) == list(range(20))
    faulty.fail()
    wait_for("new streams after there is space again",
             lambda: requests.put(node.stream("another"), headers=TYPE, timeout=60).ok)
    assert append(node, 20) in (200, 204)
    node.kill9()
    node.start()
    assert read_numbers(node) == list(range(21))
    assert node.terminate() == 0
