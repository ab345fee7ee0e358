#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a real kube-apiserver what it makes of definitions with rules and of their objects, for a test to compare
(src/server/custom/recorded_rules_test.cc).

    record.py --server URL [--out recorded_rules.jsonl.gz]

Each line of the recording is a case of cases.py with the answers:

    {"note": ..., "schema": {...} or [before, after], "objects": [[spec, changed spec, ...], ...],
     "definition": {"code": 201}, "answers": [[{"code": 201}, {"code": 422, "causes": [...], "warnings": [...]}], ...]}

Where there are two schemas, the definition is changed to the second one after the first object was made. Causes are
sorted, because upstream goes through maps at random, and the number that upstream invents for the type of `self` is 1."""
import argparse, gzip, http.client, json, os, re, sys, time, urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases

GROUP = 'rules.example.com'
DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'


class Server:
    def __init__(self, url):
        u = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(u.hostname, u.port, timeout=60)

    def call(self, method, path, body=None):
        self.connection.request(method, path, None if body is None else json.dumps(body), {'Content-Type': 'application/json'})
        answer = self.connection.getresponse()
        warnings = answer.headers.get_all('Warning') or []
        text = answer.read()
        return answer.status, json.loads(text) if text.startswith(b'{') else {'message': text.decode()}, warnings


def definition(number, schema):
    return {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
            'metadata': {'name': 'c%ds.%s' % (number, GROUP)},
            'spec': {'group': GROUP, 'scope': 'Cluster', 'names': {'plural': 'c%ds' % number, 'kind': 'C%d' % number},
                     'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': schema}}]}}


def answer(result):
    code, body, warnings = result
    made = {'code': code}
    if code >= 300:
        causes = (body.get('details') or {}).get('causes')
        if causes:
            made['causes'] = sorted([c.get('reason', ''), c.get('message', ''), c.get('field', '')] for c in causes)
        else:
            made['message'] = body.get('message', '')
    if warnings:
        made['warnings'] = warnings
    return json.loads(re.sub(r'selfType\d+', 'selfType1', json.dumps(made)))


def patiently(server, method, path, body):
    for _ in range(200):
        result = server.call(method, path, body)
        if result[0] not in (404, 429):
            return result
        time.sleep(0.1)
    return result


def record_objects(server, number, schemas, objects):
    path = '/apis/%s/v1/c%ds' % (GROUP, number)
    answers = []
    for index, values in enumerate(objects):
        name = 'o%d' % index
        result = None
        steps = []
        for step, value in enumerate(values):
            body = {'apiVersion': GROUP + '/v1', 'kind': 'C%d' % number, 'metadata': {'name': name}, 'spec': value}
            if step == 0:
                result = patiently(server, 'POST', path, body)
            else:
                present = server.call('GET', path + '/' + name)[1]
                body['metadata'] = present['metadata']
                result = server.call('PUT', path + '/' + name, body)
            steps.append(answer(result))
            if step == 0 and len(schemas) > 1:
                present = server.call('GET', DEFINITIONS + '/c%ds.%s' % (number, GROUP))[1]
                present['spec']['versions'][0]['schema']['openAPIV3Schema'] = schemas[1]
                assert server.call('PUT', DEFINITIONS + '/c%ds.%s' % (number, GROUP), present)[0] == 200
                time.sleep(3)
            if step == 0 and result[0] != 201:
                break
        answers.append(steps)
    return answers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--server', required=True)
    parser.add_argument('--out', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recorded_rules.jsonl.gz'))
    args = parser.parse_args()
    server = Server(args.server)
    todo = list(enumerate(cases.cases()))
    lines = []
    for start in range(0, len(todo), 20):
        batch = []
        for number, (note, schema, objects) in todo[start:start + 20]:
            schemas = schema if isinstance(schema, list) else [schema]
            batch.append((number, note, schema, schemas, objects, answer(server.call('POST', DEFINITIONS, definition(number, schemas[0])))))
        for number, note, schema, schemas, objects, made in batch:
            answers = record_objects(server, number, schemas, objects) if made['code'] == 201 else []
            lines.append(json.dumps({'note': note, 'schema': schema, 'objects': objects, 'definition': made, 'answers': answers}))
        for number, *_rest, made in batch:
            if made['code'] == 201:
                server.call('DELETE', DEFINITIONS + '/c%ds.%s' % (number, GROUP))
        print(start + len(batch), flush=True)
    with open(args.out, 'wb') as f:
        f.write(gzip.compress(('\n'.join(lines) + '\n').encode(), mtime=0))


if __name__ == '__main__':
    main()
