#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records whom a real kube-apiserver lets do what, for src/server/rest/access_recorded_test.cc to compare.

    ../api/reference.py --bin-dir DIR --apiserver-arg=--authorization-mode=RBAC \\
        --apiserver-arg=--token-auth-file=$PWD/tokens.csv -- python3 record.py --server {secure} recorded.jsonl.gz

Roles, bindings and requests come from a fixed seed. Each line is a step: who (`token`: one of tokens.csv, or `$NAME`, the
token that the step with `save: NAME` was given), what (`method`, `path`, `headers`, `body`) and the answer: `code`, and
`error` (a Status without its metadata, or text) or, of a review, `status`. kube-apiserver goes through bindings in a
random order, so what depends on it is put into one: rules are sorted, and of reasons there are all that were given. Roles that
are missing are told in any order.
Nothing but the first phases changes objects; what users try to write is a dry run.

`--policy FILE` writes what the server's own roles and bindings are, as src/server/access/bootstrap_policy.inc has them.
"""
import argparse, gzip, http.client, json, random, ssl, time, urllib.parse

RBAC = '/apis/rbac.authorization.k8s.io/v1'
ADMIN = 'token-admin'
USERS = ['u%d' % i for i in range(12)]
GROUPS = ['g%d' % i for i in range(5)]
SPACES = ['ns-0', 'ns-1', 'ns-2']
ACCOUNTS = ['robot', 'clerk']
VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
RESOURCES = [('', 'pods'), ('', 'configmaps'), ('', 'secrets'), ('', 'services'), ('apps', 'deployments'), ('batch', 'jobs')]
CLUSTER = [('', 'nodes'), ('', 'namespaces'), ('storage.k8s.io', 'storageclasses'), ('rbac.authorization.k8s.io', 'clusterroles')]
SUBS = ['pods/log', 'pods/status', 'deployments/scale', 'services/proxy', '*/status', '*/scale']
URLS = ['/healthz', '/livez', '/readyz/ping', '/version', '/metrics', '/api', '/apis/*', '/openapi/*', '/logs/*', '/*', '*', '/custom/a']
NAMES = ['a', 'b', 'c']


class Recorder:
    def __init__(self, server, seed):
        self.host = urllib.parse.urlparse(server).netloc
        self.context = ssl._create_unverified_context()
        self.connection = None
        self.random = random.Random(seed)
        self.saved = {}
        self.steps = []

    def send(self, step):
        headers = [('Accept', 'application/json')] + [tuple(h) for h in step.get('headers', [])]
        token = step.get('token')
        if token: headers.append(('Authorization', 'Bearer ' + self.saved.get(token[1:], token) if token[0] == '$' else 'Bearer ' + token))
        body = json.dumps(step['body']).encode() if 'body' in step else b''
        if 'body' in step: headers.append(('Content-Type', step.get('type', 'application/json')))
        for attempt in (1, 2):
            try:
                if self.connection is None: self.connection = http.client.HTTPSConnection(self.host, context=self.context, timeout=30)
                self.connection.putrequest(step['method'], step['path'], skip_accept_encoding=True)
                for name, value in headers: self.connection.putheader(name, value)
                if body: self.connection.putheader('Content-Length', str(len(body)))
                self.connection.endheaders(body or None)
                answer = self.connection.getresponse()
                return answer.status, answer.read().decode()
            except (http.client.HTTPException, OSError):
                self.connection = None
                if attempt == 2: raise

    def do(self, method, path, token=ADMIN, **more):
        step = {'method': method, 'path': path, **({'token': token} if token else {}), **more}
        code, text = self.send(step)
        step['code'] = code
        try: answer = json.loads(text)
        except ValueError: answer = text
        if code >= 400:
            if isinstance(answer, dict): answer.pop('metadata', None)
            step['error'] = answer
        elif isinstance(answer, dict) and answer.get('kind', '').endswith('Review'):
            step['status'] = self.shown(answer.get('status', {}))
            if step['status'].get('allowed') and 'AccessReview' in answer['kind']:
                reasons = {step['status'].pop('reason', '')}
                for _ in range(9): reasons.add(json.loads(self.send(step)[1])['status'].get('reason', ''))
                step['status']['reasons'] = sorted(reasons)
        if 'save' in step: self.saved[step['save']] = answer['status']['token']
        self.steps.append(step)
        return answer

    def do_path(self, method, path, token):
        """Whether a path may be asked for; what comes of those that are is not about access."""
        self.do(method, path, token)
        if self.steps[-1]['code'] not in (401, 403) and (method == 'POST' or path == '/'): self.steps.pop()

    @staticmethod
    def shown(status):
        for name in ('resourceRules', 'nonResourceRules'):
            if name in status: status[name] = sorted((status[name] or []), key=lambda rule: json.dumps(rule, sort_keys=True))
        extra = status.get('userInfo', status.get('user', {})).get('extra', {})
        extra.pop('authentication.kubernetes.io/credential-id', None)
        for info in ('userInfo', 'user'):
            if info in status:
                if not extra: status[info].pop('extra', None)
                if status[info].get('username', '').startswith('system:serviceaccount:'): status[info].pop('uid', None)
        return status

    # What is generated.
    def some(self, of, most): return self.random.sample(of, self.random.randint(1, most))

    def rule(self, is_namespaced):
        r = self.random
        if not is_namespaced and r.random() < 0.2: return {'nonResourceURLs': self.some(URLS, 2), 'verbs': r.choice([['get'], ['*'], ['get', 'post']])}
        chosen = self.some(RESOURCES if is_namespaced or r.random() < 0.6 else CLUSTER, 2)
        rule = {'apiGroups': sorted({g for g, _ in chosen}), 'resources': [n for _, n in chosen], 'verbs': self.some(VERBS, 4)}
        if r.random() < 0.2: rule['resources'].append(r.choice(SUBS))
        if r.random() < 0.25: rule['resourceNames'] = self.some(NAMES, 2)
        for name, share in (('verbs', .1), ('apiGroups', .07), ('resources', .05)):
            if r.random() < share: rule[name] = ['*']
        return rule

    def subject(self, is_namespaced):
        kind = self.random.random()
        group = 'rbac.authorization.k8s.io'
        if kind < 0.5: return {'kind': 'User', 'name': self.random.choice(USERS), 'apiGroup': group}
        if kind < 0.8: return {'kind': 'Group', 'name': self.random.choice(GROUPS), 'apiGroup': group}
        account = {'kind': 'ServiceAccount', 'name': self.random.choice(ACCOUNTS)}
        if not is_namespaced or self.random.random() < 0.6: account['namespace'] = self.random.choice(SPACES)
        return account

    def target(self):
        """A request to a resource: method, path and what of it a review asks about."""
        r = self.random
        group, plural = r.choice(RESOURCES + CLUSTER if r.random() < 0.8 else [('example.com', 'widgets')])
        space = '' if (group, plural) in CLUSTER or r.random() < 0.15 else r.choice(SPACES)
        base = ('/api/v1' if not group else '/apis/%s/v1' % group) + ('/namespaces/' + space if space else '') + '/' + plural
        verb = r.choice(VERBS)
        name = r.choice(NAMES) if verb in ('get', 'update', 'patch', 'delete') else ''
        path = base + ('/' + name if name else '')
        subresource = r.choice(['log', 'status', 'scale']) if name and r.random() < 0.15 else ''
        if subresource: path += '/' + subresource
        method = {'get': 'GET', 'list': 'GET', 'watch': 'GET', 'create': 'POST', 'update': 'PUT', 'patch': 'PATCH', 'delete': 'DELETE', 'deletecollection': 'DELETE'}[verb]
        if verb == 'watch': path += '?watch=1&timeoutSeconds=1&resourceVersion=1' if r.random() < 0.5 else '?watch=true&resourceVersion=1&timeoutSeconds=1'
        elif verb == 'list' and r.random() < 0.2: path += '?fieldSelector=metadata.name%3D' + r.choice(NAMES)
        asked = {'verb': verb, 'group': group, 'resource': plural, 'name': name, 'subresource': subresource, 'namespace': space}
        return method, path, {k: v for k, v in asked.items() if v}


def define(recorder, phase):
    r = recorder.random
    roles = []
    for i in range(22):
        role = {'metadata': {'name': 'cr%d-%d' % (phase, i), 'labels': {'to': r.choice('xyz')}}, 'rules': [recorder.rule(False) for _ in range(r.randint(1, 3))]}
        recorder.do('POST', RBAC + '/clusterroles', body=role)
        roles.append(role)
    for i, label in enumerate('xyz'):
        # The rules are those that kube-controller-manager would fill in.
        rules = []
        for role in sorted((x for x in roles if x['metadata']['labels']['to'] == label), key=lambda x: x['metadata']['name']):
            rules += [rule for rule in role['rules'] if rule not in rules]
        selector = {'clusterRoleSelectors': [{'matchLabels': {'to': label}}]}
        recorder.do('POST', RBAC + '/clusterroles', body={'metadata': {'name': 'all%d-%s' % (phase, label)}, 'aggregationRule': selector, 'rules': rules})
    clusters = [x['metadata']['name'] for x in roles] + ['view', 'edit', 'all%d-x' % phase, 'all%d-y' % phase]
    for space in SPACES:
        locals_ = []
        for i in range(7):
            name = 'r%d-%d' % (phase, i)
            recorder.do('POST', RBAC + '/namespaces/%s/roles' % space, body={'metadata': {'name': name}, 'rules': [recorder.rule(True) for _ in range(r.randint(1, 3))]})
            locals_.append(name)
        for i in range(9):
            kind = r.choice(['Role', 'Role', 'ClusterRole'])
            ref = {'apiGroup': 'rbac.authorization.k8s.io', 'kind': kind, 'name': r.choice(locals_ if kind == 'Role' else clusters)}
            recorder.do('POST', RBAC + '/namespaces/%s/rolebindings' % space, body={'metadata': {'name': 'b%d-%d' % (phase, i)}, 'roleRef': ref, 'subjects': [recorder.subject(True) for _ in range(r.randint(1, 3))]})
    for i in range(10):
        ref = {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'ClusterRole', 'name': r.choice(clusters)}
        recorder.do('POST', RBAC + '/clusterrolebindings', body={'metadata': {'name': 'cb%d-%d' % (phase, i)}, 'roleRef': ref, 'subjects': [recorder.subject(False) for _ in range(r.randint(1, 2))]})


def special(recorder):
    """Users with one right each, who try what others only read of."""
    group = 'rbac.authorization.k8s.io'
    def grant(user, rules, space=''):
        kind = 'Role' if space else 'ClusterRole'
        base = RBAC + ('/namespaces/' + space if space else '')
        recorder.do('POST', base + ('/roles' if space else '/clusterroles'), body={'metadata': {'name': 'of-' + user}, 'rules': rules})
        recorder.do('POST', base + ('/rolebindings' if space else '/clusterrolebindings'), body={'metadata': {'name': 'of-' + user}, 'roleRef': {'apiGroup': group, 'kind': kind, 'name': 'of-' + user}, 'subjects': [{'kind': 'User', 'name': user, 'apiGroup': group}]})
    writing = {'apiGroups': [group], 'resources': ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'], 'verbs': ['create', 'update', 'patch', 'get', 'list']}
    grant('writer', [writing, {'apiGroups': [''], 'resources': ['pods', '*/status'], 'verbs': ['get', 'list']}, {'nonResourceURLs': ['/logs/*'], 'verbs': ['get']}])
    grant('escalator', [writing, {'apiGroups': [group], 'resources': ['clusterroles', 'roles'], 'verbs': ['escalate'], 'resourceNames': ['mine', 'other']}])
    grant('binder', [writing, {'apiGroups': [group], 'resources': ['clusterroles'], 'verbs': ['bind'], 'resourceNames': ['view', 'cluster-admin']}])
    grant('local', [writing, {'apiGroups': ['', 'apps'], 'resources': ['*'], 'verbs': ['*']}], 'ns-0')
    grant('actor', [{'apiGroups': [''], 'resources': ['users'], 'verbs': ['impersonate'], 'resourceNames': ['u1', 'system:anonymous', 'system:node:n']}, {'apiGroups': [''], 'resources': ['groups'], 'verbs': ['impersonate'], 'resourceNames': ['g1', 'system:authenticated', 'system:unauthenticated']}, {'apiGroups': [''], 'resources': ['serviceaccounts'], 'verbs': ['impersonate'], 'resourceNames': ['robot']}, {'apiGroups': ['authentication.k8s.io'], 'resources': ['userextras/scopes', 'uids'], 'verbs': ['impersonate'], 'resourceNames': ['s1', 'id-1']}])
    on = [{'apiGroups': ['authentication.k8s.io'], 'resources': ['users'], 'verbs': ['impersonate:user-info'], 'resourceNames': ['u1', 'u2']}, {'apiGroups': ['authentication.k8s.io'], 'resources': ['groups'], 'verbs': ['impersonate:user-info'], 'resourceNames': ['g1', 'g2']}, {'apiGroups': ['authentication.k8s.io'], 'resources': ['serviceaccounts'], 'verbs': ['impersonate:serviceaccount'], 'resourceNames': ['robot']}, {'apiGroups': ['authentication.k8s.io'], 'resources': ['nodes'], 'verbs': ['impersonate:arbitrary-node'], 'resourceNames': ['n']}, {'apiGroups': ['', 'authentication.k8s.io'], 'resources': ['pods', 'selfsubjectreviews'], 'verbs': ['impersonate-on:user-info:list', 'impersonate-on:user-info:create', 'impersonate-on:serviceaccount:list', 'impersonate-on:serviceaccount:create', 'impersonate-on:arbitrary-node:create', 'impersonate-on:arbitrary-node:list']}]
    grant('bounded', on)
    grant('reviewer', [{'apiGroups': ['authorization.k8s.io', 'authentication.k8s.io'], 'resources': ['*'], 'verbs': ['create']}])
    for name, kind in (('gone', 'ClusterRole'),):
        recorder.do('POST', RBAC + '/clusterrolebindings', body={'metadata': {'name': name}, 'roleRef': {'apiGroup': group, 'kind': kind, 'name': 'no-such-role'}, 'subjects': [{'kind': 'User', 'name': 'dangling', 'apiGroup': group}]})
    recorder.do('POST', RBAC + '/namespaces/ns-1/rolebindings', body={'metadata': {'name': 'gone'}, 'roleRef': {'apiGroup': group, 'kind': 'Role', 'name': 'no-such-role'}, 'subjects': [{'kind': 'User', 'name': 'dangling-1', 'apiGroup': group}]})


def ask(recorder, count):
    r = recorder.random
    review = '/apis/authorization.k8s.io/v1/'
    for i in range(count):
        user = r.choice(USERS)
        who = r.choice(['token-' + user] * 8 + ['$robot-ns-0', '$clerk-ns-1', '', 'token-nobody'])
        method, path, asked = recorder.target()
        kind = r.random()
        if kind < 0.45:
            more = {}
            if method in ('POST', 'PUT', 'PATCH'): more['body'] = {}
            if method == 'PATCH': more['type'] = 'application/merge-patch+json'
            if method != 'GET': path += ('&' if '?' in path else '?') + 'dryRun=All'
            recorder.do(method, path, who, **more)
        elif kind < 0.6:
            recorder.do_path(r.choice(['GET', 'GET', 'POST']), r.choice(['/healthz', '/livez/ping', '/readyz', '/version', '/metrics', '/api', '/apis', '/apis/apps', '/openapi/v2x', '/logs/x', '/custom/a', '/custom/b', '/nothing/<here>&', '/']), who)
        elif kind < 0.75:
            subject = r.choice([{'user': user}, {'user': user, 'groups': [r.choice(GROUPS)]}, {'groups': [r.choice(GROUPS)]}, {'user': 'system:serviceaccount:%s:robot' % r.choice(SPACES), 'groups': ['system:authenticated']}])
            if r.random() < 0.15: asked = {'verb': '*', 'resource': '*', 'group': '*'}
            spec = {'resourceAttributes': asked} if r.random() < 0.8 else {'nonResourceAttributes': {'path': r.choice(['/healthz', '/metrics', '/logs/x', '/custom/a']), 'verb': 'get'}}
            recorder.do('POST', review + 'subjectaccessreviews', body={'spec': {**subject, **spec}})
        elif kind < 0.88:
            recorder.do('POST', review + 'selfsubjectaccessreviews', who or 'token-u1', body={'spec': {'resourceAttributes': asked}})
        elif kind < 0.95:
            recorder.do('POST', review + 'selfsubjectrulesreviews', who or 'token-u2', body={'spec': {'namespace': r.choice(SPACES + ['default'])}})
        else:
            recorder.do('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', who, body={})


def escalate(recorder):
    group = 'rbac.authorization.k8s.io'
    rules = [[{'apiGroups': [''], 'resources': ['pods'], 'verbs': ['get']}], [{'apiGroups': [''], 'resources': ['pods', 'secrets'], 'verbs': ['get', 'list', 'watch']}], [{'apiGroups': [''], 'resources': ['pods/status', 'nodes/status'], 'verbs': ['get']}],
             [{'apiGroups': ['*'], 'resources': ['*'], 'verbs': ['*']}], [{'nonResourceURLs': ['/logs/a', '/metrics'], 'verbs': ['get', 'post']}], [{'apiGroups': ['apps', 'batch'], 'resources': ['jobs'], 'resourceNames': ['a', 'b"<&>'], 'verbs': ['get', 'delete']}, {'apiGroups': [''], 'resources': ['pods'], 'resourceNames': ['x'], 'verbs': ['list']}], []]
    for user in ('writer', 'escalator', 'binder', 'local', 'admin', 'dangling'):
        token = 'token-' + user
        for i, each in enumerate(rules):
            for base in (RBAC + '/clusterroles', RBAC + '/namespaces/ns-0/roles'):
                if 'nonResourceURLs' in json.dumps(each) and 'namespaces' in base: continue
                recorder.do('POST', base + '?dryRun=All', token, body={'metadata': {'name': 'mine'}, 'rules': each})
                recorder.do('PUT', base + '/mine?dryRun=All', token, body={'metadata': {'name': 'mine'}, 'rules': each})
                recorder.do('PUT', base + '/of-local?dryRun=All', token, body={'metadata': {'name': 'of-local'}, 'rules': each})
        recorder.do('POST', RBAC + '/clusterroles?dryRun=All', token, body={'metadata': {'name': 'mine'}, 'aggregationRule': {'clusterRoleSelectors': [{'matchLabels': {'a': 'b'}}]}})
        recorder.do('PATCH', RBAC + '/clusterroles/view?dryRun=All', token, type='application/merge-patch+json', body={'metadata': {'labels': {'q': 'r'}}})
        recorder.do('PATCH', RBAC + '/clusterroles/cluster-admin?dryRun=All', token, type='application/merge-patch+json', body={'metadata': {'labels': {'q': 'r'}}})
        recorder.do('PATCH', RBAC + '/clusterroles/cluster-admin?dryRun=All', token, type='application/merge-patch+json', body={'metadata': {'finalizers': ['a.example/b']}})
        for ref in ('view', 'cluster-admin', 'of-writer', 'no-such-role', 'cr0-1'):
            for base, kind in ((RBAC + '/clusterrolebindings', 'ClusterRole'), (RBAC + '/namespaces/ns-0/rolebindings', 'ClusterRole'), (RBAC + '/namespaces/ns-0/rolebindings', 'Role')):
                recorder.do('POST', base + '?dryRun=All', token, body={'metadata': {'name': 'mine'}, 'roleRef': {'kind': kind, 'name': ref, 'apiGroup': group}, 'subjects': [{'kind': 'User', 'name': 'me', 'apiGroup': group}]})
        recorder.do('PATCH', RBAC + '/clusterrolebindings/of-writer?dryRun=All', token, type='application/merge-patch+json', body={'subjects': [{'kind': 'User', 'name': 'me', 'apiGroup': group}]})
        recorder.do('PATCH', RBAC + '/clusterrolebindings/cluster-admin?dryRun=All', token, type='application/merge-patch+json', body={'subjects': [{'kind': 'User', 'name': 'me', 'apiGroup': group}]})


def impersonate(recorder):
    who_am_i = ('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {'body': {}})
    targets = [who_am_i, ('GET', '/api/v1/namespaces/ns-0/pods', {}), ('GET', '/version', {})]
    wishes = [[('User', 'u1')], [('User', 'u2')], [('User', 'u1'), ('Group', 'g1')], [('User', 'u1'), ('Group', 'g1'), ('Group', 'g3')], [('User', 'system:serviceaccount:ns-0:robot')], [('User', 'system:serviceaccount:ns-0:clerk')], [('User', 'system:serviceaccount:ns-0:robot'), ('Group', 'g1')],
              [('User', 'system:serviceaccount:Bad:robot')], [('User', 'system:node:n')], [('User', 'system:node:m')], [('User', 'system:anonymous')], [('User', 'u1'), ('Group', 'system:unauthenticated')], [('User', 'u1'), ('Group', 'system:authenticated')], [('User', 'u1'), ('Group', 'system:masters')], [('User', 'u1'), ('Uid', 'id-1')], [('User', 'u1'), ('Uid', 'id-2')],
              [('User', 'u1'), ('Extra-scopes', 's1')], [('User', 'u1'), ('Extra-Scopes', 's2')], [('User', 'u1'), ('Extra-acme.com%2Fproject', 'p')], [('Group', 'g1')], [('Uid', 'x')], [('Extra-scopes', 's1'), ('Group', 'g"1')], [('User', 'a<b>&"')], [('User', 'u1'), ('Group', 'g1'), ('Group', 'g2'), ('Group', 'g3'), ('Group', 'g4')], [('User', 'u1'), ('Group', '')]]
    for user in ('actor', 'bounded', 'u3', 'admin', '$robot-ns-0'):
        token = user if user[0] == '$' else 'token-' + user
        for wish in wishes:
            for method, path, more in targets: recorder.do(method, path, token, headers=[['Impersonate-' + k, v] for k, v in wish], **more)


def review(recorder):
    tokens = '/apis/authentication.k8s.io/v1/tokenreviews'
    for token in ('token-u1', 'token-u5', 'token-nobody', 'token-admin', ''):
        recorder.do('POST', tokens, body={'spec': {'token': token}})
        recorder.do('POST', tokens, 'token-reviewer', body={'spec': {'token': token, 'audiences': ['other']}})
    recorder.do('POST', tokens, 'token-u1', body={'spec': {'token': 'token-u1'}})
    base = '/apis/authorization.k8s.io/v1/'
    for spec in ({}, {'user': 'u1'}, {'resourceAttributes': {'verb': 'get'}}, {'user': 'u1', 'resourceAttributes': {'verb': 'get'}, 'nonResourceAttributes': {'path': '/x', 'verb': 'get'}}, {'user': 'dangling', 'resourceAttributes': {'verb': 'get', 'resource': 'pods'}}, {'user': 'dangling-1', 'resourceAttributes': {'verb': 'get', 'resource': 'pods', 'namespace': 'ns-1'}}, {'groups': ['system:masters'], 'resourceAttributes': {'verb': 'get', 'resource': 'pods'}}):
        recorder.do('POST', base + 'subjectaccessreviews', 'token-reviewer', body={'spec': spec})
        recorder.do('POST', base + 'subjectaccessreviews', 'token-u4', body={'spec': spec})
        recorder.do('POST', base + 'namespaces/ns-1/localsubjectaccessreviews', 'token-reviewer', body={'metadata': {'namespace': 'ns-1'}, 'spec': spec})
        recorder.do('POST', base + 'selfsubjectaccessreviews', 'token-u4', body={'spec': {k: v for k, v in spec.items() if k.endswith('Attributes')}})
    recorder.do('POST', base + 'selfsubjectrulesreviews', 'token-u4', body={'spec': {}})
    for user in ('dangling', 'dangling-1', 'admin', 'writer', 'reviewer'):
        recorder.do('POST', base + 'selfsubjectrulesreviews', 'token-' + user, body={'spec': {'namespace': 'ns-1'}})
        for path in ('/api/v1/namespaces/ns-1/pods', '/api/v1/pods', '/api/v1/nodes/n/status/x', '/api/v1/watch/pods?timeoutSeconds=1', '/api/v1/namespaces/ns-1', '/api/v1/namespaces/ns-1/status', '/apis/apps/v1', '/apis/apps/v1/'):
            recorder.do('GET', path, 'token-' + user)
    robot = '/api/v1/namespaces/ns-0/serviceaccounts/robot/token'
    for spec in ({'expirationSeconds': 5}, {'expirationSeconds': 1 << 33}, {'boundObjectRef': {'kind': 'Pod', 'apiVersion': 'v1', 'name': 'none'}}, {'boundObjectRef': {'kind': 'ConfigMap', 'apiVersion': 'v1', 'name': 'none'}}):
        recorder.do('POST', robot, body={'spec': spec})
    recorder.do('POST', robot, 'token-u1', body={})
    recorder.do('POST', robot, save='elsewhere', body={'spec': {'audiences': ['other']}})
    recorder.do('GET', '/api/v1/namespaces/ns-0/pods', '$elsewhere')


def policy(recorder, file):
    """The server's own roles and bindings, a line each: see the file that is written."""
    words = lambda values: ' '.join(v or '""' for v in values)
    lines = ['# Roles and bindings that kube-apiserver v1.37.1 makes, as it answers when asked for them (tests/access/record.py --policy).',
             '#   role [NAMESPACE/]NAME [LABEL=VALUE]    followed by its rules: VERBS | GROUPS | RESOURCES | NAMES | URLS',
             '#   aggregates LABEL=VALUE', '#   binding [NAMESPACE/]NAME KIND ROLE   followed by its subjects: KIND [NAMESPACE/]NAME']
    for plural in ('clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'):
        for item in json.loads(recorder.send({'method': 'GET', 'path': RBAC + '/' + plural, 'token': ADMIN})[1])['items']:
            meta = item['metadata']
            name = (meta['namespace'] + '/' if 'namespace' in meta else '') + meta['name']
            if plural.endswith('bindings'):
                lines.append('binding %s %s %s' % (name, item['roleRef']['kind'], item['roleRef']['name']))
                for s in item.get('subjects', []): lines.append('  %s %s' % (s['kind'], (s['namespace'] + '/' if 'namespace' in s else '') + s['name']))
                continue
            labels = ' '.join('%s=%s' % l for l in sorted(meta['labels'].items()) if l[0] != 'kubernetes.io/bootstrapping')
            lines.append(('role %s %s' % (name, labels)).rstrip())
            for selector in item.get('aggregationRule', {}).get('clusterRoleSelectors', []): lines += ['  aggregates %s=%s' % l for l in selector['matchLabels'].items()]
            for rule in item.get('rules') or []: lines.append(('  ' + ' | '.join(words(rule.get(k, [])) for k in ('verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'))).rstrip(' |'))
    with open(file, 'w') as out: out.write('// SPDX-License-Identifier: Apache-2.0\n// Made by tests/access/record.py.\nR"policy(\n' + '\n'.join(lines) + '\n)policy"\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--server', required=True)
    parser.add_argument('--seed', type=int, default=37)
    parser.add_argument('--policy')
    parser.add_argument('file')
    args = parser.parse_args()
    recorder = Recorder(args.server, args.seed)
    time.sleep(3)
    if args.policy: policy(recorder, args.policy)
    for space in SPACES:
        recorder.do('POST', '/api/v1/namespaces', body={'metadata': {'name': space}})
        for account in ACCOUNTS:
            recorder.do('POST', '/api/v1/namespaces/%s/serviceaccounts' % space, body={'metadata': {'name': account}})
            recorder.do('POST', '/api/v1/namespaces/%s/serviceaccounts/%s/token' % (space, account), save='%s-%s' % (account, space), body={})
    special(recorder)
    define(recorder, 0)
    time.sleep(2)
    ask(recorder, 500)
    escalate(recorder)
    impersonate(recorder)
    review(recorder)
    # Some go, others change, more come.
    r = recorder.random
    for i in range(0, 22, 4): recorder.do('DELETE', RBAC + '/clusterroles/cr0-%d' % (i + 3 if i < 16 else 3))
    for i in range(1, 22, 5): recorder.do('PUT', RBAC + '/clusterroles/cr0-%d' % i, body={'metadata': {'name': 'cr0-%d' % i}, 'rules': [recorder.rule(False)]})
    for space in SPACES:
        recorder.do('DELETE', RBAC + '/namespaces/%s/rolebindings/b0-%d' % (space, r.randint(0, 8)))
        recorder.do('DELETE', RBAC + '/namespaces/%s/roles/r0-%d' % (space, r.randint(0, 6)))
    recorder.do('DELETE', RBAC + '/clusterrolebindings/cb0-1')
    recorder.do('PATCH', RBAC + '/clusterrolebindings/cb0-2', type='application/merge-patch+json', body={'subjects': [recorder.subject(False)]})
    define(recorder, 1)
    time.sleep(2)
    ask(recorder, 400)
    recorder.do('DELETE', '/api/v1/namespaces/ns-0/serviceaccounts/robot')
    time.sleep(70)  # The leeway of an account that was deleted, and what is remembered of tokens.
    recorder.do('GET', '/api/v1/namespaces/ns-0/pods', '$robot-ns-0')
    with gzip.GzipFile(args.file, 'wb', mtime=0) as out:
        for step in recorder.steps: out.write(json.dumps(step, separators=(',', ':'), sort_keys=True).encode() + b'\n')
    print(len(recorder.steps), 'steps')


if __name__ == '__main__': main()
