# SPDX-License-Identifier: Apache-2.0
"""Objects from upstream's templates, which a small program in Go fills in."""
import json
import pathlib
import subprocess

import yaml

HERE = pathlib.Path(__file__).resolve().parent


class Templates:
    def __init__(self, folder):
        program = folder / "render"
        subprocess.run(["go", "build", "-o", str(program), "."], cwd=HERE / "render", check=True)
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def objects(self, path, count, params=None, start=0):
        """So many objects, numbered from `start`."""
        request = {"path": str(path), "params": params or {}, "from": start, "count": count}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{path}: the template cannot be filled in")
        return [yaml.safe_load(text) for text in json.loads(answer)]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
