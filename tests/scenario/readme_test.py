"""What README.md tells a newcomer to type works as it stands there.

Every ```sh block after the comment `<!-- test -->` is run, in order, in one empty directory, against
the node that README starts with no flags. A ```text block after `<!-- prints -->` is what the block
before it prints; a line `...` there stands for any lines. Where the default ports are taken on
this machine, 4437 and 9090 are replaced by free ones, in the commands and in the answers.
"""
import os
import re
import subprocess

from conftest import BINARY, ROOT, free_port, is_free

BLOCK = re.compile(r"<!-- (test|prints) -->\n```\w+\n(.*?)```", re.S)


def blocks():
    """[(commands, what they print or None)] of README.md."""
    found = []
    for kind, text in BLOCK.findall((ROOT / "README.md").read_text()):
        if kind == "test":
            found.append((text, None))
        else:
            found[-1] = (found[-1][0], text)
    return found


def matches(printed, expected):
    pattern = "".join(".*" if line == "..." else re.escape(line) + r"\s*?\n"
                      for line in expected.strip().splitlines())
    return re.fullmatch(pattern, printed.strip() + "\n", re.S)


def test_the_commands_of_the_readme_work_as_written(new_node):
    ports = {str(port): str(port if is_free(port) else free_port()) for port in (4437, 9090)}

    def here(text):
        return re.sub(r"\b(4437|9090)\b", lambda port: ports[port[0]], text)

    listen, admin = f"127.0.0.1:{ports['4437']}", f"127.0.0.1:{ports['9090']}"
    node = new_node(listen=listen if ports["4437"] != "4437" else None,
                    admin_listen=admin if ports["9090"] != "9090" else None)
    node.admin_port = int(ports["9090"])
    node.start()

    steps = blocks()
    assert steps, "README.md marks no commands"
    env = node.env | {"PATH": f"{BINARY.parent}:{os.environ['PATH']}", "CLOUDULER_ENDPOINT": f"http://{listen}"}
    for commands, expected in steps:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", here(commands)], cwd=node.dir, env=env,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
        if expected is not None:
            assert matches(done.stdout, here(expected)), f"{commands}\nprinted\n{done.stdout}"
