#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a real kube-apiserver what it makes of admission policies, for a test to compare
(src/server/policies/recorded_policies_test.cc).

    record_policies.py --server URL [--out recorded_policies.jsonl.gz]

Each line of the recording is a case of policy_cases.py with the answers:

    {"note": ..., "policy": spec, "binding": spec or null, "before": [objects], "writes": [[how, object], ...],
     "answers": {"policy": {"code": 201}, "binding": {...}, "writes": [{"code": 422, "message": ..., "reason": ...}, ...]}}
"""
import argparse, gzip, json, os, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import policy_cases
from record import Server

ROOT = '/apis/admissionregistration.k8s.io/v1/'
COLLECTIONS = {'ConfigMap': 'configmaps', 'Namespace': 'namespaces'}


def path_of(obj):
    ns = obj['metadata'].get('namespace')
    return '/api/v1/' + ('namespaces/%s/' % ns if ns else '') + COLLECTIONS[obj['kind']]


def answer(result):
    code, body, warnings = result
    made = {'code': code}
    if code >= 300:
        causes = (body.get('details') or {}).get('causes')
        made['message'] = body.get('message', '')
        made['reason'] = body.get('reason', '')
        if causes:
            made['causes'] = sorted([c.get('reason', ''), c.get('message', ''), c.get('field', '')] for c in causes)
    if warnings:
        made['warnings'] = warnings
    return made


def write(server, how, obj):
    path = path_of(obj)
    own = path + '/' + obj['metadata']['name']
    if how == policy_cases.CREATE:
        return server.call('POST', path, obj)
    return server.call('PUT', own, obj) if how == policy_cases.UPDATE else server.call('DELETE', own)


def record(server, number, case):
    note, spec, binding_spec, before, writes = case
    for obj in before:
        assert server.call('POST', path_of(obj), obj)[0] == 201
    base = {'apiVersion': 'admissionregistration.k8s.io/v1'}
    policy = dict(base, kind='ValidatingAdmissionPolicy', metadata={'name': 'p%d' % number}, spec=spec)
    binding = dict(base, kind='ValidatingAdmissionPolicyBinding', metadata={'name': 'b%d' % number}, spec=dict({'policyName': 'p%d' % number}, **(binding_spec or {})))
    answers = {'policy': answer(server.call('POST', ROOT + 'validatingadmissionpolicies', policy))}
    if binding_spec is not None:
        answers['binding'] = answer(server.call('POST', ROOT + 'validatingadmissionpolicybindings', binding))
    if writes:
        time.sleep(1.2)
    answers['writes'] = [answer(write(server, how, obj)) for how, obj in writes]
    server.call('DELETE', ROOT + 'validatingadmissionpolicybindings/b%d' % number)
    server.call('DELETE', ROOT + 'validatingadmissionpolicies/p%d' % number)
    if writes:
        time.sleep(1.2)
    for obj in before + [obj for _, obj in writes]:
        server.call('DELETE', path_of(obj) + '/' + obj['metadata']['name'])
    return {'note': note, 'policy': spec, 'binding': binding_spec, 'before': before, 'writes': writes, 'answers': answers}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--server', required=True)
    parser.add_argument('--out', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recorded_policies.jsonl.gz'))
    args = parser.parse_args()
    server = Server(args.server)
    lines = [json.dumps(record(server, number, case)) for number, case in enumerate(policy_cases.cases())]
    with open(args.out, 'wb') as f:
        f.write(gzip.compress(('\n'.join(lines) + '\n').encode(), mtime=0))
    print(len(lines))


if __name__ == '__main__':
    main()
