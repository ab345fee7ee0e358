#!/usr/bin/env python3
"""Asks a real kube-apiserver what admission makes of requests, so that a test can compare (src/server/admission/recorded_test.cc).

    record.py --server URL [--token TOKEN] cases_*.json

For each file of cases, recorded_NAME.jsonl is written beside it. No kube-controller-manager may run, so that accounts
and the status of quotas are what the cases say, but for files that say "controlled": these need
resourcequota-controller, serviceaccount-controller and root-ca-certificate-publisher-controller, with
--resource-quota-sync-period=5s. A file of cases is one JSON object:

  bases    Objects by name, from which those of the cases are made.
  cluster  Steps that are made once, for objects that have no namespace.
  show     By kind, the paths that are recorded of an object that was accepted.
  cases    Each has a namespace of its own, in which there is an account `default`, which mounts no token, unless the
           case makes it. `labels` are those of the namespace, `given` steps that must succeed, `ask` those whose answers are recorded.

A step is one of

    {"create": BASE, "set": {POINTER: VALUE}}      "set" as in tests/kinds/record.py
    {"update": [API_VERSION, KIND, NAME], "set": {...}}
    {"status": [...], "set": {...}}
    {"delete": [...]}

A quota that is made, if the file is not "controlled", gets a status as its controller would write it: what it limits, and nothing used, or what "used"
says of it; none at all with "bare".

A line of a recording is one case: a list of its answers, and what its quotas say in the end.

    {"answers": [{"code": 201, "object": {"/spec/volumes": [...]}}, {"code": 403, "message": "..."}], "used": {"q": {...}}}

The namespace is NS wherever it stands, and random ends of names are XXXXX."""
import argparse
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'kinds'))
from record import Server, apply  # pylint: disable=wrong-import-position


def in_order(message):
    """Several problems with a range of limits in the order of their texts, as theirs is random."""
    found = re.fullmatch(r'(.* is forbidden: \[)(.*)\]', message)
    return found[1] + ', '.join(sorted(re.split(', (?=m)', found[2]))) + ']' if found else message


class Cluster:
    def __init__(self, server, file, prefix):
        self.server, self.bases, self.show, self.prefix = server, file['bases'], file['show'], prefix
        self.is_controlled = file.get('controlled', False)
        for step in file['cluster']:
            code, body = self.make(step, 'default')
            if code >= 300 and code != 409:
                raise RuntimeError(body['message'])
        time.sleep(3)  # Until definitions are served, and informers know the objects.

    def path(self, api_version, kind, ns):
        return self.server.collection({'apiVersion': api_version, 'kind': kind}).replace(
            '/namespaces/default/', '/namespaces/%s/' % ns)

    def make(self, step, ns):
        """Does one step; returns the answer."""
        if 'create' in step:
            obj = apply(self.bases[step['create']], step.get('set', {}))
            path = self.path(obj['apiVersion'], obj['kind'], ns)
            code, body = self.server.call('POST', path, obj)
            if code < 300 and obj['kind'] == 'ResourceQuota' and not step.get('bare') and not self.is_controlled:
                hard = body['spec'].get('hard', {})
                body['status'] = {'hard': hard, 'used': step.get('used', {name: '0' for name in hard})}
                code, body = self.server.call('PUT', path + '/' + body['metadata']['name'] + '/status', body)
                time.sleep(0.3)  # Until admission knows it.
            return code, body
        verb = next(v for v in ('update', 'status', 'delete') if v in step)
        api_version, kind, name = step[verb]
        own = self.path(api_version, kind, ns) + '/' + name
        if verb == 'delete':
            return self.server.call('DELETE', own + '?gracePeriodSeconds=0')
        present = self.server.call('GET', own)[1]
        return self.server.call('PUT', own + ('' if verb == 'update' else '/' + verb), apply(present, step['set']))

    def answer(self, code, body, ns):
        clean = lambda value: json.loads(
            re.sub(r'(kube-api-access-|"p-)[a-z0-9]{5}\b', r'\1XXXXX', json.dumps(value).replace(ns, 'NS')))
        if code >= 300:
            return {'code': code, 'message': in_order(clean(body['message']))}
        found = {}
        for pointer in self.show.get(body.get('kind'), []):
            at = body
            for part in pointer.split('/')[1:]:
                at = at.get(part, {})
            if at not in ({}, []):
                found[pointer] = clean(at)
        return {'code': code, 'object': found} if found else {'code': code}

    def settle(self):
        return 6 if self.is_controlled else 0.3

    def record(self, case, number):
        ns = '%s-%d' % (self.prefix, number)
        self.server.call('POST', '/api/v1/namespaces', {'metadata': {'name': ns, 'labels': case.get('labels', {})}})
        if self.is_controlled:
            time.sleep(2)  # Until the controllers have made what is in every namespace.
        elif not any(s.get('create') == 'account' and s['set']['/metadata/name'] == 'default' for s in case['given']):
            self.server.call('POST', '/api/v1/namespaces/%s/serviceaccounts' % ns,
                             {'metadata': {'name': 'default'}, 'automountServiceAccountToken': False})
        for step in case['given']:
            code, body = self.make(step, ns)
            if code >= 300:
                raise RuntimeError('case %d: %s' % (number, body['message']))
        time.sleep(self.settle())  # Until admission knows them.
        line = {'answers': []}
        for step in case['ask']:
            line['answers'].append(self.answer(*self.make(step, ns), ns))
            time.sleep(self.settle() if self.is_controlled else 0)
        quotas = self.server.call('GET', '/api/v1/namespaces/%s/resourcequotas' % ns)[1]['items']
        if quotas:
            line['used'] = {q['metadata']['name']: q.get('status', {}).get('used', {}) for q in quotas}
        services = '/api/v1/namespaces/%s/services' % ns
        for service in self.server.call('GET', services)[1]['items']:  # Others may want their ports.
            self.server.call('DELETE', services + '/' + service['metadata']['name'])
        return line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--server', required=True)
    parser.add_argument('--token', default='')
    parser.add_argument('files', nargs='+')
    args = parser.parse_args()
    for path in args.files:
        with open(path) as f:
            file = json.load(f)
        directory, base = os.path.split(path)
        name = base[len('cases_'):-len('.json')]
        cluster = Cluster(Server(args.server, args.token), file, '%s-%d' % (name, time.time()))
        with open(os.path.join(directory, 'recorded_%s.jsonl' % name), 'w') as f:
            for number, case in enumerate(file['cases']):
                f.write(json.dumps(cluster.record(case, number), sort_keys=True, separators=(',', ':')) + '\n')
        print(name, len(file['cases']))


if __name__ == '__main__':
    sys.exit(main())
