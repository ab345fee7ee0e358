# SPDX-License-Identifier: Apache-2.0
"""Run by pytest, as the tests of a project that uses the fixture are."""
import json
import os
import urllib.request

import pytest

from berth_pytest import Cluster

pytest_plugins = ["berth_pytest"]
MAPS = "/api/v1/namespaces/default/configmaps"


def names(cluster, path=MAPS):
    with urllib.request.urlopen(cluster.url + path, timeout=10) as answer:
        return [item["metadata"]["name"] for item in json.load(answer)["items"]]


def create(cluster, name):
    body = json.dumps({"metadata": {"name": name}}).encode()
    request = urllib.request.Request(cluster.url + MAPS, body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


@pytest.mark.parametrize("name", ["first", "second"])
def test_each_test_finds_a_fresh_cluster(berth_cluster, name):
    assert not {"first", "second"} & set(names(berth_cluster))
    create(berth_cluster, name)
    assert name in names(berth_cluster)


def test_the_kubeconfig_is_that_of_the_cluster(berth_cluster):
    with open(berth_cluster.kubeconfig, encoding="utf-8") as kubeconfig:
        assert berth_cluster.url in kubeconfig.read()


def test_a_cluster_of_ones_own():
    with Cluster("--nodes", 5) as cluster:
        assert len(names(cluster, "/api/v1/nodes")) == 5
        pid, kubeconfig = cluster.pid, cluster.kubeconfig
    assert not os.path.exists(kubeconfig)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_arguments_that_make_no_sense_are_told():
    with pytest.raises(RuntimeError, match="unknown flag --nods"):
        Cluster("--nods", 5)
