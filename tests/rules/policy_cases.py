# SPDX-License-Identifier: Apache-2.0
"""The cases of record_policies.py: a policy, its binding, and writes that it is asked about.

A case has a note, the spec of the policy, the spec of the binding (without policyName), objects that are there before, and
the writes: (CREATE, object), (UPDATE, object) or (DELETE, object)."""

CREATE, UPDATE, DELETE = 'create', 'update', 'delete'


def rule(group='', version='v1', resource='configmaps', operations=('CREATE', 'UPDATE', 'DELETE'), **more):
    return dict({'apiGroups': [group], 'apiVersions': [version], 'resources': [resource], 'operations': list(operations)}, **more)


MATCH = {'resourceRules': [rule()]}
DENY = {'validationActions': ['Deny']}


def config(name='c', ns='default', labels=None, **data):
    meta = {'name': name, 'namespace': ns}
    if labels:
        meta['labels'] = labels
    return {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': meta, 'data': data}


def policy(*validations, **more):
    return dict({'matchConstraints': MATCH, 'validations': [v if isinstance(v, dict) else {'expression': v} for v in validations]}, **more)


SMALL = (CREATE, config(a='1'))


def invalid_policies():
    ok = [{'expression': 'true'}]
    yield 'nothing', {}, None
    yield 'no validations', {'matchConstraints': MATCH}, None
    yield 'no rules', {'matchConstraints': {}, 'validations': ok}, None
    yield 'no constraints', {'validations': ok}, None
    yield 'failure policy', policy('true', failurePolicy='Nope'), None
    yield 'match policy', dict(policy('true'), matchConstraints={'matchPolicy': 'Nope', 'resourceRules': [rule()]}), None
    yield 'selectors', dict(policy('true'), matchConstraints={'namespaceSelector': {'matchLabels': {'a b': 'c'}},
                            'objectSelector': {'matchExpressions': [{'key': 'x', 'operator': 'Nope'}]}, 'resourceRules': [rule()]}), None
    for name, bad in (('empty', {}), ('operations', rule(operations=['*', 'CREATE'])), ('operation', rule(operations=['PATCH'])),
                      ('groups', dict(rule(), apiGroups=['*', 'apps'])), ('versions', dict(rule(), apiVersions=['*', 'v1'])), ('version', dict(rule(), apiVersions=[''])),
                      ('resources', dict(rule(), resources=['*/*', 'pods'])), ('star', dict(rule(), resources=['*', 'pods'])), ('subs', dict(rule(), resources=['pods/*', 'pods/status'])),
                      ('any subs', dict(rule(), resources=['*/status', 'pods/status'])), ('no resource', dict(rule(), resources=[''])), ('scope', rule(scope='Nope')),
                      ('names', dict(rule(), resourceNames=['a/b', 'x', 'x']))):
        yield 'rule ' + name, dict(policy('true'), matchConstraints={'resourceRules': [bad]}), None
    for kind in ({}, {'apiVersion': 'v1'}, {'kind': 'ConfigMap'}, {'apiVersion': 'a/b/c', 'kind': 'X'}, {'apiVersion': 'A_/v1', 'kind': 'X'}, {'apiVersion': 'x/', 'kind': 'X'},
                 {'apiVersion': 'x/V1', 'kind': 'X y'}):
        yield 'param kind %s' % kind, policy('true', paramKind=kind), None
    for text in ('', ' ', '1', "'x'", 'object.', 'nope == 1', 'object.x == params.y', 'request.nope == 1', "request.name == 1", "namespaceObject.metadata.labels['a'] == 1",
                 'variables.x == 1', 'oldObject == null && object.a.b.c > dyn(1)', "object.x.matches('[')", 'cel.bind(a, 1, a == 1)', 'request.namespace == "x"'):
        yield 'expression ' + text, policy(text), None
    yield 'several', policy({'expression': 'a', 'messageExpression': 'b', 'message': ' ', 'reason': 'Nope'}), None
    yield 'message expression', policy({'expression': 'true', 'messageExpression': '1'}, {'expression': 'true', 'messageExpression': ' '}), None
    yield 'message', policy({'expression': 'true', 'message': 'a\nb'}), None
    yield 'conditions', policy('true', matchConditions=[{'name': 'a', 'expression': '1'}, {'name': 'a', 'expression': ''}, {'name': '', 'expression': 'true'}, {'name': 'x y', 'expression': 'true'}]), None
    yield 'conditions know no variables', policy('variables.a == 1', variables=[{'name': 'a', 'expression': '1'}], matchConditions=[{'name': 'a', 'expression': 'variables.a == 1'}]), None
    yield 'variables', policy('true', variables=[{'name': '', 'expression': '1'}, {'name': 'a-b', 'expression': '1'}, {'name': 'if', 'expression': ''}, {'name': 'b', 'expression': 'variables.c'},
                                                 {'name': 'c', 'expression': '1'}, {'name': 'd', 'expression': 'variables.c + "x"'}]), None
    yield 'annotations', policy('true', auditAnnotations=[{'key': 'a b', 'valueExpression': '1'}, {'key': 'k', 'valueExpression': ' '}, {'key': 'k', 'valueExpression': "'x'"}]), None
    for name, bad in (('nothing', {}), ('actions', {'validationActions': ['Deny', 'Warn', 'Nope', 'Deny']}), ('ref', dict(DENY, paramRef={})),
                      ('both', dict(DENY, paramRef={'name': 'a/b', 'selector': {}, 'parameterNotFoundAction': 'Nope'})), ('match', dict(DENY, matchResources={'matchPolicy': 'x', 'resourceRules': [{}]}))):
        yield 'binding ' + name, policy('true'), bad


def decisions():
    for text in ('true', 'false', "object.data.a == '1'", "object.data.b == '1'", 'has(object.data.b)', 'object.metadata.name == "c"', 'object.kind == "ConfigMap" && object.apiVersion == "v1"',
                 'oldObject == null', 'object.data.size() == 1', 'object.data.all(k, object.data[k].size() < 2)', 'request.operation == "CREATE" && request.name == "c" && request.namespace == "default"',
                 'request.kind.kind == "ConfigMap" && request.resource.resource == "configmaps" && request.kind.group == ""', 'has(request.subResource)', 'request.dryRun', 'request.userInfo.groups.size() > 0',
                 'namespaceObject.metadata.name == "default"', 'namespaceObject.metadata.labels["kubernetes.io/metadata.name"] == "default"', 'namespaceObject.status.phase == "Active"',
                 "object.data.a + 1 == 2", "int(object.data.a) / 0 == 1", "dyn(object.data.a) > 1", 'object.data.?b.orValue("x") == "x"', 'object == object && object.data == {"a": "1"}',
                 "object.metadata.?labels['x'].hasValue()", 'object.foo', "[1, 2, 3].all(x, object.data.a == string(x))", "object.data.a.matches('^[0-9]$') && quantity('1Gi').isGreaterThan(quantity('1Mi'))",
                 'lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))'):
        yield 'says ' + text, policy(text), DENY, [], [SMALL]
    yield 'messages', policy({'expression': 'false', 'message': ' plain '}), DENY, [], [SMALL]
    yield 'message expression', policy({'expression': 'false', 'message': 'plain', 'messageExpression': "'is ' + object.data.a"}), DENY, [], [SMALL]
    yield 'message fails', policy({'expression': 'false', 'message': 'plain', 'messageExpression': "'is ' + object.data.b"}), DENY, [], [SMALL]
    yield 'message blank', policy({'expression': 'false', 'messageExpression': "' '"}), DENY, [], [SMALL]
    for reason in ('Forbidden', 'Unauthorized', 'RequestEntityTooLarge', 'Invalid'):
        yield 'reason ' + reason, policy({'expression': 'false', 'reason': reason}), DENY, [], [SMALL]
    yield 'the first counts', policy('true', {'expression': 'false', 'message': 'second', 'reason': 'Forbidden'}, 'false'), DENY, [], [SMALL]
    yield 'warns', policy({'expression': 'false', 'message': 'careful'}, 'false'), {'validationActions': ['Warn']}, [], [SMALL]
    yield 'audits', policy('false'), {'validationActions': ['Audit']}, [], [SMALL]
    yield 'warns and audits', policy('false'), {'validationActions': ['Warn', 'Audit']}, [], [SMALL]
    yield 'ignores failures', policy('object.data.b == "x"', failurePolicy='Ignore'), DENY, [], [SMALL]
    yield 'ignored but false', policy('false', failurePolicy='Ignore'), DENY, [], [SMALL]
    yield 'no binding', policy('false'), None, [], [SMALL]
    yield 'changes', policy('request.operation != "UPDATE" || object.data.a == oldObject.data.a'), DENY, [], [SMALL, (UPDATE, config(a='1', b='2')), (UPDATE, config(a='2'))]
    yield 'deletions', policy('request.operation != "DELETE" || object == null && oldObject.data.a == "2"'), DENY, [], [SMALL, (DELETE, config())]
    yield 'only updates', dict(policy('false'), matchConstraints={'resourceRules': [rule(operations=['UPDATE'])]}), DENY, [], [SMALL, (UPDATE, config(a='2'))]
    yield 'conditions', policy('false', matchConditions=[{'name': 'a', 'expression': 'object.data.a == "2"'}]), DENY, [], [SMALL, (CREATE, config('d', a='2'))]
    yield 'conditions that fail', policy('false', matchConditions=[{'name': 'a', 'expression': 'object.data.x == "2"'}]), DENY, [], [SMALL]
    yield 'conditions that fail twice', policy('false', matchConditions=[{'name': 'a', 'expression': 'object.data.x == "2"'}, {'name': 'b', 'expression': 'object.data.y == "2"'}]), DENY, [], [SMALL]
    yield 'conditions that fail and one is false', policy('false', matchConditions=[{'name': 'a', 'expression': 'object.data.x == "2"'}, {'name': 'b', 'expression': 'false'}]), DENY, [], [SMALL]
    yield 'conditions that fail, ignored', policy('false', failurePolicy='Ignore', matchConditions=[{'name': 'a', 'expression': 'object.data.x == "2"'}]), DENY, [], [SMALL]
    yield 'conditions see no namespace', policy('false', matchConditions=[{'name': 'a', 'expression': 'namespaceObject == null'}]), DENY, [], [SMALL]
    variables = [{'name': 'a', 'expression': 'object.data.a'}, {'name': 'n', 'expression': 'int(variables.a)'}, {'name': 'bad', 'expression': 'object.data.zz'}]
    yield 'variables', policy('variables.n == 1', {'expression': 'variables.n + 1 == 3', 'messageExpression': '"n is " + string(variables.n)'}, variables=variables), DENY, [], [SMALL]
    yield 'variables that fail', policy('variables.bad == "x"', variables=variables), DENY, [], [SMALL]
    yield 'variables of other types', policy('variables.n == "1"', variables=variables), DENY, [], []
    yield 'annotations', policy('true', auditAnnotations=[{'key': 'k', 'valueExpression': "'x' + object.data.a"}]), DENY, [], [SMALL]
    yield 'annotations that fail', policy('true', auditAnnotations=[{'key': 'k', 'valueExpression': "object.data.b"}]), DENY, [], [SMALL]
    yield 'names', dict(policy('false'), matchConstraints={'resourceRules': [dict(rule(), resourceNames=['d'])]}), DENY, [], [SMALL, (CREATE, config('d'))]
    yield 'excludes', dict(policy('false'), matchConstraints={'resourceRules': [rule()], 'excludeResourceRules': [dict(rule(), resourceNames=['c'])]}), DENY, [], [SMALL, (CREATE, config('d'))]
    yield 'objects', dict(policy('false'), matchConstraints={'resourceRules': [rule()], 'objectSelector': {'matchLabels': {'x': 'y'}}}), DENY, [], [SMALL, (CREATE, config('d', labels={'x': 'y'}))]
    yield 'namespaces', dict(policy('false'), matchConstraints={'resourceRules': [rule()], 'namespaceSelector': {'matchLabels': {'kubernetes.io/metadata.name': 'kube-public'}}}), DENY, [], \
        [SMALL, (CREATE, config(ns='kube-public'))]
    yield 'by the binding', policy('false'), dict(DENY, matchResources={'objectSelector': {'matchLabels': {'x': 'y'}}}), [], [SMALL, (CREATE, config('d', labels={'x': 'y'}))]
    yield 'binding for other kinds', policy('false'), dict(DENY, matchResources={'resourceRules': [rule(resource='pods')]}), [], [SMALL]
    yield 'scope', dict(policy('false'), matchConstraints={'resourceRules': [rule(scope='Cluster')]}), DENY, [], [SMALL]
    yield 'all resources', dict(policy('false'), matchConstraints={'resourceRules': [{'apiGroups': ['*'], 'apiVersions': ['*'], 'resources': ['*'], 'operations': ['*'], 'scope': 'Namespaced',
                                                                 'resourceNames': ['c']}]}), DENY, [], [SMALL]
    maximum = {'paramKind': {'apiVersion': 'v1', 'kind': 'ConfigMap'}}
    ref = {'parameterNotFoundAction': 'Deny'}
    limits = [config('limits', max='3', labels={'is': 'limit'}), config('more', max='1', labels={'is': 'limit'})]
    over = policy({'expression': 'int(object.data.a) <= int(params.data.max)', 'messageExpression': '"over " + params.data.max'}, **maximum)
    over['matchConstraints'] = {'resourceRules': [dict(rule(), resourceNames=['c'])]}
    for name, more in (('by name', {'name': 'limits'}), ('missing', {'name': 'nope'}), ('by selector', {'selector': {'matchLabels': {'is': 'limit'}}}),
                       ('by selector, none', {'selector': {'matchLabels': {'is': 'nothing'}}}), ('elsewhere', {'name': 'limits', 'namespace': 'kube-public'})):
        yield 'params ' + name, over, dict(DENY, paramRef=dict(ref, **more)), limits, [(CREATE, config(a='2')), (CREATE, config(a='4'))]
    yield 'params missing and allowed', over, dict(DENY, paramRef={'name': 'nope', 'parameterNotFoundAction': 'Allow'}), [], [(CREATE, config(a='4'))]
    yield 'params without a reference', dict(over, validations=[{'expression': 'params == null'}]), DENY, [], [(CREATE, config(a='4'))]
    yield 'params of an unknown kind', dict(over, paramKind={'apiVersion': 'nope.example.com/v1', 'kind': 'Nope'}), dict(DENY, paramRef=dict(ref, name='x')), [], [(CREATE, config(a='4'))]
    yield 'params of an unknown kind, ignored', dict(over, failurePolicy='Ignore', paramKind={'apiVersion': 'nope.example.com/v1', 'kind': 'Nope'}), dict(DENY, paramRef=dict(ref, name='x')), [], \
        [(CREATE, config(a='4'))]
    ns = {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'rules-x', 'labels': {'a': 'b'}}}
    spaces = {'resourceRules': [rule(resource='namespaces', operations=['CREATE'])]}
    yield 'a namespace itself', dict(policy('namespaceObject == null && request.namespace == object.metadata.name && object.metadata.labels.a == "c"'), matchConstraints=spaces), DENY, [], [(CREATE, ns)]
    yield 'namespaces by their labels', dict(policy('false'), matchConstraints=dict(spaces, namespaceSelector={'matchLabels': {'a': 'b'}})), DENY, [], [(CREATE, ns)]


def cases():
    for note, spec, binding in invalid_policies():
        yield 'invalid ' + note, spec, binding, [], []
    yield from decisions()
