# SPDX-License-Identifier: Apache-2.0
"""YAML files and templates, which a small program in Go reads and fills in."""
import json
import pathlib
import subprocess
import threading

HERE = pathlib.Path(__file__).resolve().parent


class Templates:
    def __init__(self, folder):
        program = folder / "render"
        subprocess.run(["go", "build", "-o", str(program), "."], cwd=HERE / "render", check=True)
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()

    def read(self, path):
        """What a file says that is no template."""
        return self._ask(path=str(path))

    def objects(self, path, count, params=None):
        """So many objects, numbered from 0."""
        if count == 0:
            return []
        return self._ask(path=str(path), params=params or {}, count=count, total=count)

    def _ask(self, **request):
        with self.lock:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
        if isinstance(answer, dict) and set(answer) == {"error"}:
            raise ValueError(f"{request['path']}: {answer['error']}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
