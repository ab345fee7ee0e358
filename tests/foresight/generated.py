# SPDX-License-Identifier: Apache-2.0
"""Generated clusters and pods for tests of foresight: the same seed gives the same objects."""
import copy
import random

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
DRIVER = "csi.example.com"
GPU_DRIVER = "gpu.example.com"
GATES = "GenericWorkload=true"
APPS = ("a", "b")


def made(kind, name, api_version="v1", metadata=None, **fields):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **(metadata or {})}, **fields}


def pod(name, requests, labels=None, **spec):
    return made("Pod", name, metadata={"labels": labels or {}}, spec={
        "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}], **spec})


def term(key, app):
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}


def required(kind, terms):
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def node_affinity(*expressions):
    return required("nodeAffinity", {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]})


def wants(key, operator, *values):
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


class Generator(random.Random):
    def one_in(self, n):
        return self.randrange(n) == 0

    def cluster(self, storage=False, devices=False):
        """Nodes of several sizes in three zones, some tainted or cordoned, with pods on them."""
        objects = self.classes()
        nodes = self.randint(3, 8)
        for i in range(nodes):
            objects.append(self.node(i))
        for i in range(nodes):
            for j in range(2 if i < 2 else self.randrange(4)):
                objects.append(self.old_pod(i, j))
        if storage:
            objects += self.storage(nodes)
        if devices:
            objects += self.devices(nodes)
        return objects

    @staticmethod
    def classes():
        return [made("PriorityClass", name, "scheduling.k8s.io/v1", value=value) for name, value in (("high", 1000), ("middle", 100))]

    def node(self, i):
        # No two have the same size, so that scores are seldom equal.
        amounts = {"cpu": f"{2000 + 130 * i + 1000 * self.randrange(3)}m", "memory": f"{4000 + 170 * i}Mi", "pods": str(self.randint(5, 12)),
                   "ephemeral-storage": f"{10 + i}Gi"}
        if self.one_in(3):
            amounts["example.com/tape"] = str(self.randint(1, 4))
        spec = {}
        if self.one_in(4):
            spec["taints"] = [{"key": self.choice(["team", "dedicated"]), "value": "a", "effect": "NoSchedule"}]
        if self.one_in(8):
            spec["unschedulable"] = True
        labels = {HOST: f"n{i}", ZONE: f"z{i % 3}", "disk": self.choice(["ssd", "hdd"]), "size": str(i)}
        return made("Node", f"n{i}", metadata={"labels": labels}, spec=spec, status={"allocatable": amounts, "capacity": dict(amounts)})

    def equal_nodes(self):
        amounts = {"cpu": "4", "memory": "8Gi", "pods": "20"}
        return self.classes() + [made("Node", f"n{i}", metadata={"labels": {HOST: f"n{i}", ZONE: f"z{i % 3}", "disk": "ssd"}}, spec={},
                                      status={"allocatable": amounts, "capacity": amounts}) for i in range(10)]

    def old_pod(self, i, j):
        """Classes of priority are all in use: a scheduler knows no others."""
        spec = {"nodeName": f"n{i}", "tolerations": [{"operator": "Exists"}]}
        if i + j < 2 or self.one_in(4):
            spec["priorityClassName"] = "high" if i + j == 0 else "middle"
        if self.one_in(6):
            spec["affinity"] = required("podAntiAffinity", [term(self.choice([HOST, ZONE]), "loner")])
        old = pod(f"old-{i}-{j}", {"cpu": f"{100 * self.randint(1, 9)}m", "memory": f"{100 * self.randint(1, 9)}Mi"},
                  {"app": self.choice(APPS)}, **spec)
        if j == 0 and self.one_in(2):
            old["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
        return old

    def storage(self, nodes):
        """Volumes in zones, some bound, and nodes to which few volumes can be attached."""
        objects = [made("StorageClass", "local", "storage.k8s.io/v1", provisioner="kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer"),
                   made("StorageClass", "remote", "storage.k8s.io/v1", provisioner=DRIVER, volumeBindingMode="Immediate"),
                   made("CSIDriver", DRIVER, "storage.k8s.io/v1", spec={"attachRequired": True})]
        for i in range(nodes):
            objects.append(made("CSINode", f"n{i}", "storage.k8s.io/v1", spec={"drivers": [
                {"name": DRIVER, "nodeID": f"n{i}", "topologyKeys": [ZONE], "allocatable": {"count": self.randrange(2)}}]}))
        for name, zone in (("east", "z0"), ("moon", "z9")):
            objects.append(self.volume(name, "local", zone, {"local": {"path": "/data"}}))
            objects.append(self.claim(name, "local", name))
        objects.append(self.volume("attached", "remote", None, {"csi": {"driver": DRIVER, "volumeHandle": "attached"}}))
        objects.append(self.claim("attached", "remote", "attached"))
        objects.append(self.claim("homeless", "local", None))
        return objects

    @staticmethod
    def volume(name, storage_class, zone, source):
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class,
                "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": name}, **source}
        if zone:
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [wants(ZONE, "In", zone)]}]}}
        return made("PersistentVolume", f"pv-{name}", spec=spec)

    @staticmethod
    def claim(name, storage_class, bound):
        return made("PersistentVolumeClaim", name, spec={
            "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class, "resources": {"requests": {"storage": "1Gi"}},
            **({"volumeName": f"pv-{bound}"} if bound else {})})

    def devices(self, nodes):
        """GPUs of two models on some nodes, some in use."""
        objects = [made("DeviceClass", name, "resource.k8s.io/v1", spec={"selectors": [{"cel": {"expression": expression}}]})
                   for name, expression in (("gpu", f'device.driver == "{GPU_DRIVER}"'), ("npu", 'device.driver == "npu.example.com"'))]
        for i in range(nodes):
            count = self.randrange(3) if i else 2
            if count == 0:
                continue
            model = self.choice(["old", "new"])
            objects.append(made("ResourceSlice", f"n{i}-gpus", "resource.k8s.io/v1", spec={
                "driver": GPU_DRIVER, "nodeName": f"n{i}", "pool": {"name": f"n{i}", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"gpu-{d}", "attributes": {"model": {"string": model}}, "capacity": {"memory": {"value": f"{40 + 40 * d}Gi"}}}
                            for d in range(count)]}))
            if self.one_in(3):
                objects.append(self.resource_claim(f"used-{i}", count=count))
                user = pod(f"user-{i}", {"cpu": "50m"}, nodeSelector={HOST: f"n{i}"}, priorityClassName="high", tolerations=[{"operator": "Exists"}],
                           resourceClaims=[{"name": "gpu", "resourceClaimName": f"used-{i}"}])
                objects.append(user)
        return objects

    @staticmethod
    def resource_claim(name, device_class="gpu", count=1, selectors=()):
        request = {"deviceClassName": device_class, "count": count}
        if selectors:
            request["selectors"] = [{"cel": {"expression": expression}} for expression in selectors]
        return made("ResourceClaim", name, "resource.k8s.io/v1", spec={"devices": {"requests": [{"name": "gpu", "exactly": request}]}})

    def requests(self, cpu_max=8):
        return {"cpu": f"{100 * self.randint(1, cpu_max)}m", "memory": f"{100 * self.randint(1, 8)}Mi"}

    # What keeps a pod away: each adds a rule to the pod, or to objects that come with it.

    def wants_more(self, subject, _):
        resource, amount = self.choice([("cpu", f"{self.randint(2, 9)}"), ("memory", f"{self.randint(3, 9)}Gi"), ("ephemeral-storage", f"{self.randint(8, 40)}Gi"),
                                        ("example.com/tape", str(self.randint(1, 6)))])
        resources = subject["spec"]["containers"][0]["resources"]
        resources["requests"][resource] = amount
        if "/" in resource:
            resources["limits"] = {resource: amount}

    def selects_nodes(self, subject, _):
        subject["spec"]["nodeSelector"] = self.choice([{"disk": "tape"}, {"disk": "ssd"}, {"disk": "ssd", "size": "1"}])

    def likes_nodes(self, subject, _):
        subject["spec"].setdefault("affinity", {}).update(self.choice([
            node_affinity(wants("disk", "In", "tape")), node_affinity(wants("disk", "NotIn", "ssd"), wants("size", "Gt", "6")),
            node_affinity(wants("nothing", "Exists")),
            required("nodeAffinity", {"nodeSelectorTerms": [{"matchFields": [wants("metadata.name", "In", self.choice(["n1", "n99"]))]}]})]))

    def likes_pods(self, subject, _):
        subject["spec"].setdefault("affinity", {}).update(required("podAffinity", [term(self.choice([HOST, ZONE]), self.choice(["a", "nobody"]))]))

    def avoids_pods(self, subject, _):
        subject["spec"].setdefault("affinity", {}).update(required("podAntiAffinity", [term(ZONE, app) for app in self.sample(APPS, self.randint(1, 2))]))

    def is_avoided(self, subject, _):
        subject["metadata"]["labels"]["app"] = "loner"

    def spreads(self, subject, _):
        subject["metadata"]["labels"]["app"] = "a"
        subject["spec"]["topologySpreadConstraints"] = [{
            "maxSkew": 1, "topologyKey": self.choice([HOST, ZONE]), "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "a"}}, "nodeTaintsPolicy": self.choice(["Ignore", "Honor"])}]

    def takes_port(self, subject, _):
        subject["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]

    def is_gated(self, subject, _):
        subject["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]

    def mounts(self, subject, _):
        name = self.choice(["east", "moon", "attached", "homeless"])
        subject["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]

    def claims_devices(self, subject, others):
        others.append(self.choice([
            self.resource_claim("mine", "npu"), self.resource_claim("mine", count=self.randint(1, 4)),
            self.resource_claim("mine", selectors=[f'device.attributes["{GPU_DRIVER}"].model == "{self.choice(["lost", "new"])}"']),
            self.resource_claim("mine", count=2, selectors=[f'device.capacity["{GPU_DRIVER}"].memory.compareTo(quantity("60Gi")) > 0'])]))
        subject["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "mine"}]
        subject["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]

    RULES = (wants_more, wants_more, selects_nodes, likes_nodes, likes_pods, avoids_pods, is_avoided, spreads, takes_port, is_gated, mounts, claims_devices)

    def pending(self, index):
        """A cluster, and a pod that may not fit there with what belongs to it; its first object is the pod, or a group and its pods."""
        if index % 12 == 11:
            return self.cluster(), self.gang()
        rules = self.sample(self.RULES, self.choice([1, 1, 1, 2]))
        subject, others = pod("p", self.requests(), {"app": "p"}), []
        for rule in rules:
            rule(self, subject, others)
        return self.cluster(Generator.mounts in rules, Generator.claims_devices in rules), others + [subject]

    def gang(self):
        """A group of which too many have to begin, or that want too much."""
        members = self.randint(2, 6)
        requests = {"cpu": f"{100 * self.randint(4, 25)}m", "memory": f"{100 * self.randint(1, 20)}Mi"}
        extra = {"nodeSelector": {"disk": self.choice(["tape", "ssd"])}} if self.one_in(3) else {}
        group = made("PodGroup", "g", "scheduling.k8s.io/v1beta1", spec={"schedulingPolicy": {"gang": {"minCount": self.randint(2, members)}}})
        return [group] + [pod("p" if i == 0 else f"p{i}", dict(requests), {"app": "p"}, schedulingGroup={"podGroupName": "g"}, **extra) for i in range(members)]

    def broken(self, index):
        """A cluster, a pod that may fit there with what belongs to it, the same after one change, and what undoes that."""
        ways = ("selector", "node affinity", "pod affinity", "anti-affinity", "label", "spreading", "cpu", "memory", "tape", "port", "gate", "toleration",
                "volume", "class", "device selector", "devices", "min count", "members' cpu", "members' selector")
        way = ways[index % len(ways)]
        is_gang, has_claim = way in ways[-3:], way in ways[13:16]
        fits = self.gang() if is_gang else [pod("p", self.requests(4), {"app": "p"})]
        if has_claim:
            fits[0]["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "mine"}]
            fits.insert(0, self.resource_claim("mine"))
        if is_gang:
            fits[0]["spec"]["schedulingPolicy"]["gang"]["minCount"] = 2
            for member in fits[1:]:
                member["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "100m"}
                member["spec"].pop("nodeSelector", None)
        cluster = self.cluster(way == "volume", has_claim)
        if way == "toleration":
            fits[-1]["spec"]["tolerations"] = [{"operator": "Exists", "effect": "NoSchedule"}]
            for node in (item for item in cluster if item["kind"] == "Node"):
                node["spec"]["taints"] = [{"key": "team", "value": "a", "effect": "NoSchedule"}]
        changed = copy.deepcopy(fits)
        subject = changed[-1]["spec"]
        request = changed[0].get("spec", {}).get("devices", {}).get("requests", [{}])[0].get("exactly", {})

        def ask_for(resource, amount):
            for item in changed:
                if item["kind"] == "Pod":
                    resources = item["spec"]["containers"][0]["resources"]
                    resources["requests"][resource] = amount
                    if "/" in resource:
                        resources["limits"] = {resource: amount}

        everybody = {"topologyKey": ZONE, "labelSelector": {"matchExpressions": [wants("app", "Exists")]}}
        makes = {
            "selector": lambda: subject.update(nodeSelector={"disk": "tape"}),
            "node affinity": lambda: subject.update(affinity=node_affinity(wants("disk", "In", "tape"))),
            "pod affinity": lambda: subject.update(affinity=required("podAffinity", [term(HOST, "nobody")])),
            "anti-affinity": lambda: subject.update(affinity=required("podAntiAffinity", [everybody])),
            "label": lambda: self.is_avoided(changed[-1], None),
            "spreading": lambda: subject.update(topologySpreadConstraints=[{
                "maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule", "minDomains": 20, "labelSelector": {"matchExpressions": [wants("app", "Exists")]}}]),
            "cpu": lambda: ask_for("cpu", "64"), "memory": lambda: ask_for("memory", "640Gi"), "tape": lambda: ask_for("example.com/tape", "50"),
            "port": lambda: self.takes_port(changed[-1], None), "gate": lambda: self.is_gated(changed[-1], None),
            "toleration": lambda: subject.pop("tolerations"),
            "volume": lambda: subject.update(volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "moon"}}]),
            "class": lambda: request.update(deviceClassName="npu"),
            "device selector": lambda: request.update(selectors=[{"cel": {"expression": f'device.attributes["{GPU_DRIVER}"].model == "lost"'}}]),
            "devices": lambda: request.update(count=9),
            "min count": lambda: changed[0]["spec"]["schedulingPolicy"]["gang"].update(minCount=9),
            "members' cpu": lambda: ask_for("cpu", "64"),
            "members' selector": lambda: [item["spec"].update(nodeSelector={"disk": "tape"}) for item in changed[1:]],
        }
        makes[way]()
        kinds = ("dropNodeSelector", "dropNodeAffinity", "dropPodAffinity", "dropPodAntiAffinity", "dropLabel", "raiseMaxSkew", "lowerRequest", "lowerRequest",
                 "lowerRequest", "dropHostPort", "removeGate", "tolerate", "dropVolume", "otherDeviceClass", "dropDeviceSelector", "fewerDevices",
                 "lowerMinCount", "lowerRequest", "dropNodeSelector")
        return cluster, fits, changed, kinds[ways.index(way)]

    def workload(self, number):
        """A Deployment or the like, of pods that want some of the rules."""
        kind = self.choice(["Deployment", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet"])
        template = pod("", {"cpu": f"{100 * self.randint(1, 15)}m", "memory": f"{100 * self.randint(1, 15)}Mi"})
        app = self.choice(["a", "b", "c"])
        labels, spec = {"set": f"w{number}", "app": app}, template["spec"]
        if self.one_in(4):
            spec["nodeSelector"] = {"disk": "ssd"}
        if self.one_in(4):
            spec["tolerations"] = [{"key": "team", "operator": "Exists"}]
        if self.one_in(4):
            spec["priorityClassName"] = self.choice(["high", "middle"])
        if self.one_in(4):
            spec["topologySpreadConstraints"] = [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
                                                  "labelSelector": {"matchLabels": {"app": app}}}]
        if self.one_in(4):
            spec["affinity"] = required(self.choice(["podAffinity", "podAntiAffinity", "podAntiAffinity"]), [term(HOST, app)])
        return made(kind, f"w{number}", "apps/v1", spec={
            **({} if kind == "DaemonSet" else {"replicas": self.randint(1, 6)}), "selector": {"matchLabels": {"set": f"w{number}"}},
            "template": {"metadata": {"labels": labels}, "spec": spec}})
