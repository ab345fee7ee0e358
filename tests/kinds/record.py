#!/usr/bin/env python3
"""Asks a real kube-apiserver what it makes of objects, so that a test can compare (src/server/kinds/recorded_test.cc).

    record.py --server URL [--token TOKEN] cases_*.json

For each file of cases, recorded_NAME.jsonl is written beside it. The server has to run with the gates that the file
names, and what they need (--runtime-config=scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true), and with these
admission plugins off, as the test looks at defaults and validation alone:

    --disable-admission-plugins=PodGroupProtection,ServiceAccount,Priority,DefaultTolerationSeconds,TaintNodesByCondition,
        StorageObjectInUseProtection,DefaultStorageClass,DefaultIngressClass,RuntimeClass,LimitRanger,ResourceQuota,
        PersistentVolumeClaimResize,PodSecurity,CertificateApproval,CertificateSigning,CertificateSubjectRestriction

A file of cases is one JSON object:

    {"bases": {"pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {...}}, ...},
     "cases": [{"base": "pod", "set": {"/spec/containers/0/image": "", "/spec/nodeName": null}}, ...]}

  gates   (beside bases) Feature gates of the server; left out: its defaults.
  base    The object that the case starts from.
  set     Changes to it: JSON pointers to values. Null removes the member; the index - appends to a list; what is missing
          on the way is made as an object.
  update  Further changes. The object is created first, then written back with these.
  status  The same, but written to /status. Of a list each is written after the other, and the last answer counts.
  note    Why, for readers.

Each line of a recording is the answer to the case of the same line of the list:

    {"code": 422, "causes": [["FieldValueRequired", "Required value", "spec.containers[0].image"]]}
    {"code": 201, "object": {...}}

A refusal that has no causes has its message instead. If already the creation that precedes an update is refused, that is
the answer. In objects the uid is UID wherever it stands, times of the recording are TIME, and resourceVersion,
creationTimestamp and managedFields are left out."""
import argparse, copy, http.client, json, os, re, ssl, sys, urllib.parse


def apply(obj, changes):
    obj = copy.deepcopy(obj)
    for pointer, value in changes.items():
        parts = [p.replace('~1', '/').replace('~0', '~') for p in pointer.split('/')[1:]]
        at = obj
        for part in parts[:-1]:
            at = at[int(part)] if isinstance(at, list) else at.setdefault(part, {})
        last = parts[-1]
        if isinstance(at, list):
            if last == '-':
                at.append(value)
            elif value is None:
                del at[int(last)]
            else:
                at[int(last)] = value
        elif value is None:
            at.pop(last, None)
        else:
            at[last] = value
    return obj


class Server:
    def __init__(self, url, token):
        u = urllib.parse.urlsplit(url)
        if u.scheme == 'https':
            context = ssl._create_unverified_context()  # pylint: disable=protected-access
            self.connection = http.client.HTTPSConnection(u.hostname, u.port, timeout=30, context=context)
        else:
            self.connection = http.client.HTTPConnection(u.hostname, u.port, timeout=30)
        self.headers = {'Content-Type': 'application/json', 'Accept': 'application/json'}
        if token:
            self.headers['Authorization'] = 'Bearer ' + token
        self.paths = {}

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, self.headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def collection(self, obj):
        """The path under which objects of this kind are created."""
        version, kind = obj['apiVersion'], obj['kind']
        if (version, kind) not in self.paths:
            root = '/apis/' + version if '/' in version else '/api/' + version
            resources = self.call('GET', root)[1]['resources']
            found = next(r for r in resources if r['kind'] == kind and '/' not in r['name'])
            scope = '/namespaces/default/' if found['namespaced'] else '/'
            self.paths[version, kind] = root + scope + found['name']
        return self.paths[version, kind]


def clean(obj, stamp):
    meta = obj.get('metadata', {})
    uid = meta.get('uid')
    for name in ('resourceVersion', 'creationTimestamp', 'managedFields', 'selfLink'):
        meta.pop(name, None)
    text = json.dumps(obj)
    if uid:
        text = text.replace(uid, 'UID')
    if stamp:
        text = re.sub('"%s[0-9:.]*Z"' % stamp[:14], '"TIME"', text)
    return json.loads(text)


def answer(code, body, stamp):
    if code < 300:
        return {'code': code, 'object': clean(body, stamp)}
    causes = (body.get('details') or {}).get('causes')
    if code != 422 or not causes:
        return {'code': code, 'message': body.get('message', '')}
    text = json.dumps([[c.get('reason', ''), c.get('message', ''), c.get('field', '')] for c in causes])
    text = re.sub('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'UID', text)
    # The server adds a listing of the difference, which nobody compares.
    causes = [[r, m.split('\n')[0], f] for r, m, f in json.loads(text)]
    return {'code': code, 'causes': causes}


def record(server, bases, case):
    obj = apply(bases[case['base']], case.get('set', {}))
    path = server.collection(obj)
    name = obj.get('metadata', {}).get('name', '')
    changes = case.get('update', case.get('status'))
    code, created = server.call('POST', path + ('' if changes is not None else '?dryRun=All'), obj)
    if code >= 300 or changes is None:
        return answer(code, created, created.get('metadata', {}).get('creationTimestamp'))
    stamp = created['metadata']['creationTimestamp']
    own = path + '/' + name
    try:
        changed = created
        for step in changes if isinstance(changes, list) else [changes]:
            written = apply(changed, step)
            code, changed = server.call('PUT', own + ('/status' if 'status' in case else ''), written)
            if code >= 300:
                break
        return answer(code, changed, stamp)
    finally:
        server.call('DELETE', own + '?gracePeriodSeconds=0&propagationPolicy=Background')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--server', required=True)
    parser.add_argument('--token', default='')
    parser.add_argument('files', nargs='+')
    args = parser.parse_args()
    server = Server(args.server, args.token)
    for file in args.files:
        with open(file) as f:
            cases = json.load(f)
        directory, base = os.path.split(file)
        out = os.path.join(directory, base.replace('cases_', 'recorded_').replace('.json', '.jsonl'))
        counts = {}
        with open(out, 'w') as f:
            for case in cases['cases']:
                line = record(server, cases['bases'], case)
                counts[line['code']] = counts.get(line['code'], 0) + 1
                f.write(json.dumps(line, sort_keys=True, separators=(',', ':')) + '\n')
        print(out, counts)


if __name__ == '__main__':
    sys.exit(main())
