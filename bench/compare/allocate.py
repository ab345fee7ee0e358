# SPDX-License-Identifier: Apache-2.0
"""Gives devices to claims that no pod has, as a cluster that is in use has them: the operation allocResourceClaims."""
import random

from schedulers import CannotRun


def allocate(plane, namespace, in_parallel):
    """One claim after the other gets devices of one node, chosen by chance but the same each time."""
    path = f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims"
    claims = plane.api("GET", path)["items"]
    slices = plane.api("GET", "/apis/resource.k8s.io/v1/resourceslices")["items"] if claims else []
    if any(device.get("consumesCounters") for one in slices for device in one["spec"].get("devices", [])):
        raise CannotRun("allocResourceClaims: devices with counters are not supported")
    free = {one["spec"]["nodeName"]: [(one, device["name"]) for device in one["spec"]["devices"]] for one in slices}
    dice = random.Random(1)
    for claim in claims:
        requests = claim["spec"]["devices"]["requests"]
        needed = sum(one["exactly"].get("count", 1) for one in requests)
        node = dice.choice([name for name, devices in free.items() if len(devices) >= needed])
        results = []
        for request in requests:
            for _ in range(request["exactly"].get("count", 1)):
                one, device = free[node].pop(0)
                results.append({"request": request["name"], "driver": one["spec"]["driver"], "pool": one["spec"]["pool"]["name"],
                                "device": device})
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
        claim["status"] = {"allocation": {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": [term]}}}
    in_parallel(lambda claim: plane.api("PUT", f"{path}/{claim['metadata']['name']}/status", claim), claims)
