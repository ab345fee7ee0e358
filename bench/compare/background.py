# SPDX-License-Identifier: Apache-2.0
"""What goes on beside the other operations: on threads, at a pace, until it is done or the workload ends."""
import threading
import time

from servers import ApiError


class Background:
    def __init__(self):
        self.threads, self.end = [], threading.Event()

    def start(self, work):
        thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self.threads.append(thread)
        thread.start()

    def _run(self, work):
        try:
            work()
        except (ApiError, OSError):
            if not self.end.is_set():
                raise

    def pace(self, per_second):
        """Ticks at that rate until the end; a tick that comes late is not made up for."""
        due = time.monotonic()
        while True:
            due = max(due + 1 / per_second, time.monotonic() - 1 / per_second)
            if self.end.wait(max(due - time.monotonic(), 0)):
                return
            yield

    def close(self):
        self.end.set()
        for thread in self.threads:
            thread.join(10)


def churn(background, server, kinds, namespace, mode, number, per_second):
    """Objects of each kind are created at a pace, until there are so many; or created so often and deleted as often, in turn."""
    slots = [[None] * max(number, 1) for _ in kinds]
    for count, _ in enumerate(background.pace(per_second)):
        if mode == "create" and 0 < number <= count:
            return
        for made, names in zip(kinds, slots):
            path, slot = server.path(made, namespace), count % len(names)
            try:
                if mode == "recreate" and names[slot]:
                    name, names[slot] = names[slot], None
                    server.api("DELETE", f"{path}/{name}")
                else:
                    names[slot] = server.api("POST", path, {**made, "metadata": dict(made["metadata"])})["metadata"]["name"]
            except ApiError:
                pass  # As upstream: the object may be gone, or there already.
