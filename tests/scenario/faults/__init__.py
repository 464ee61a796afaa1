"""Disks that fail: file systems of a given size, and a library that makes writes and syncs fail."""
import contextlib
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
WORDS = {"sync", "write", "full", "read-only"}


class FaultyDisk:
    """Everything below `below` fails as told, for a process started with `env`."""

    def __init__(self, below, work_dir):
        self.control = pathlib.Path(work_dir) / "fault-control"
        self.control.write_text("")
        library = pathlib.Path(work_dir) / "fault_shim.so"
        subprocess.run(["g++", "-x", "c", "-O1", "-shared", "-fPIC", "-o", library,
                        HERE / "fault_shim.c", "-ldl"], check=True)
        self.env = {"LD_PRELOAD": str(library), "FAULT_SHIM_CONTROL": str(self.control),
                    "FAULT_SHIM_BELOW": str(below)}

    def fail(self, *words):
        """From now on these fail; with no words, nothing does."""
        assert set(words) <= WORDS
        # At once, so that a process never reads half of it.
        new = self.control.with_suffix(".new")
        new.write_text("\n".join(words))
        new.replace(self.control)


@contextlib.contextmanager
def small_disk(directory, megabytes, kind="ext4"):
    """Mounts a file system of that size at `directory`: tmpfs, or ext4 over a loop device."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True)
    image = directory.with_suffix(".img")
    if kind == "ext4":
        with image.open("wb") as file:
            file.truncate(megabytes << 20)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
        command = ["mount", "-o", "loop", image, directory]
    else:
        command = ["mount", "-t", kind, "-o", f"size={megabytes}m", kind, directory]
    subprocess.run(command, check=True)
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", directory], check=True)
        image.unlink(missing_ok=True)


def fill(directory):
    """Takes all the space that is left; returns the file that holds it."""
    ballast = pathlib.Path(directory) / "ballast"
    with ballast.open("wb") as file:
        for size in (1 << 20, 4096):
            with contextlib.suppress(OSError):
                while os.write(file.fileno(), bytes(size)):
                    pass
    return ballast
