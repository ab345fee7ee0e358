# SPDX-License-Identifier: Apache-2.0
"""A bound volume for each pod, as createPods asks for with a template of a volume and one of a claim."""
import copy


class Volumes:
    def __init__(self, server, templates, folder, operation):
        self.server = server
        self.volume = templates.objects(folder / operation["persistentVolumeTemplatePath"], 1)[0]
        self.claim = templates.objects(folder / operation["persistentVolumeClaimTemplatePath"], 1)[0]

    def give(self, pod, namespace, index):
        """The pod gets a claim and the claim a volume."""
        claim, volume = copy.deepcopy(self.claim), copy.deepcopy(self.volume)
        claim.setdefault("metadata", {})["name"] = f"pvc-{index}"
        volume.setdefault("metadata", {})["name"] = f"{namespace}-vol-{index}"
        claim["spec"]["volumeName"] = volume["metadata"]["name"]
        volume["spec"]["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": f"pvc-{index}"}
        if "csi" in volume["spec"]:
            volume["spec"]["csi"]["volumeHandle"] = volume["metadata"]["name"]
        if "awsElasticBlockStore" in volume["spec"]:
            volume["spec"]["awsElasticBlockStore"]["volumeID"] = f"vol-{index}"
        for made in (claim, volume):
            path = self.server.path(made, namespace)
            self.server.api("POST", path, made)
            self.server.api("PATCH", f"{path}/{made['metadata']['name']}/status", {"status": {"phase": "Bound"}})
        pod["spec"]["volumes"] = [{"name": "vol", "persistentVolumeClaim": {"claimName": f"pvc-{index}"}}]
