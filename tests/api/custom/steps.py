# SPDX-License-Identifier: Apache-2.0
"""Steps of the set `custom`: definitions of custom resources and their objects. run.py injects h, w, pick and so on."""
import copy
import urllib.parse

DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
GROUP = 'a.example.com'
TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
META = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
METALIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
MERGE = 'application/merge-patch+json'
JSONPATCH = 'application/json-patch+json'
APPLY = 'application/apply-patch+yaml'
AGES = [(r'"(\d+y)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?"(?<!"")', '"<age>"')]
STRUCTURE = re.compile(r'Invalid value: (\[\{"[nN]ame".*\}\]|\{"(ID|description|apiVersion|kind|spec)".*\}|"\{.*\}"|\[\]|null): ', re.S)
OBJECT = {'type': 'object'}
STRING = {'type': 'string'}
INTEGER = {'type': 'integer'}
ANY = {'x-kubernetes-preserve-unknown-fields': True}

STEPS = []


def told(answer):
    """Upstream goes through maps at random: of several causes neither the order nor the message says anything. Values that
    are shown as structures of Go's, or as a whole object, are not compared."""
    if answer.get('kind') != 'Status':
        return answer
    causes = (answer.get('details') or {}).get('causes') or []
    if len(causes) > 1:
        answer['message'] = 'of all causes'
        causes.sort(key=lambda cause: norm_text(json.dumps(cause, sort_keys=True)))
    for each in [answer] + causes:
        each['message'] = STRUCTURE.sub('Invalid value: <structure>: ', each.get('message') or '')
    return answer


def ask(name, method, path, body=None, **more):
    more.setdefault('proj', told)
    more.setdefault('show_headers', ['warning'])
    STEPS.append(h(name, method, path, body, **more))


def query(path, **parameters):
    return path + '?' + urllib.parse.urlencode(parameters)


# ---------------------------------------------------------------- definitions
def fields(**properties):
    return {'type': 'object', 'properties': properties}


def spec_of(**properties):
    return fields(spec=fields(**properties))


def version(name='v1', schema=None, storage=True, **more):
    return {'name': name, 'served': True, 'storage': storage, 'schema': {'openAPIV3Schema': schema or spec_of(a=STRING)}, **more}


def definition(plural='things', kind='Thing', group=GROUP, scope='Namespaced', versions=None, name=None, metadata=None, **spec):
    names = {'plural': plural, 'kind': kind, **spec.pop('names', {})}
    return {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
            'metadata': {'name': '%s.%s' % (plural, group) if name is None else name, **(metadata or {})},
            'spec': {'group': group, 'scope': scope, 'names': names, 'versions': [version()] if versions is None else versions, **spec}}


def changed(base, path, *value):
    """A copy of the tree with the value at a path of keys, or without it."""
    made = copy.deepcopy(base)
    at = made
    for key in path[:-1]:
        at = at[key]
    if value:
        at[path[-1]] = value[0]
    else:
        del at[path[-1]]
    return made


def tried(name, body, fieldValidation='', **more):
    ask('definition/' + name, 'POST', query(DEFINITIONS, dryRun='All', **({'fieldValidation': fieldValidation} if fieldValidation else {})), body, **more)


def schema_tried(name, schema, **more):
    """A schema at the root, and what becomes of it."""
    tried('schema/' + name, definition(versions=[version(schema=schema, **more)]))


def value_tried(name, schema):
    schema_tried(name, spec_of(x=schema))


def install(body):
    """Makes a definition and waits until it is served."""
    name = body['metadata']['name']
    ask('install/' + name, 'POST', DEFINITIONS, body, proj=told)
    ask('installed/' + name, 'GET', DEFINITIONS + '/' + name, until=lambda code, o: is_true(o, 'Established'), proj=status_of)
    spec = body['spec']
    for each in spec['versions']:
        if each['served']:
            ask('served/%s/%s' % (name, each['name']), 'GET', '/apis/%s/%s/%s' % (spec['group'], each['name'], spec['names']['plural']),
                until=lambda code, o: code == 200, settles=0.2)


def is_true(o, kind):
    return any(c['type'] == kind and c['status'] == 'True' for c in pick(o, 'status.conditions') or [])


def status_of(o):
    for condition in pick(o, 'status.conditions') or []:
        condition.pop('lastTransitionTime', None)
    return {'status': o.get('status'), 'generation': pick(o, 'metadata.generation'), 'finalizers': pick(o, 'metadata.finalizers')}


def definition_steps():
    base = definition()
    tried('plain', base)
    tried('all-names', definition(names={'singular': 'thing', 'listKind': 'ThingCollection', 'shortNames': ['th', 'tg'], 'categories': ['all', 'stuff']}))
    tried('name-differs', definition(name='other.' + GROUP))
    tried('name-missing', definition(name=''))
    tried('generate-name', definition(name='', metadata={'generateName': 'x-'}), re=[(r'x-\w{5}', 'x-<random>')])
    tried('group-empty', definition(group=''))
    tried('group-single', definition(group='single'))
    tried('group-upper', definition(group='A.example.com'))
    tried('group-core', definition(group='apps'))
    tried('scope-empty', changed(base, ['spec', 'scope']))
    tried('scope-unknown', definition(scope='Universe'))
    for name, value in (('plural', 'Things'), ('plural', ''), ('singular', 'Thing'), ('kind', 'Thing_'), ('kind', ''), ('kind', 'thing'), ('kind', '0Thing'),
                        ('listKind', 'Thing'), ('listKind', 'Thing List'), ('shortNames', ['TH']), ('shortNames', ['']),
                        ('shortNames', ['a', 'a']), ('categories', ['All', 'b_c']), ('categories', [''])):
        tried('names-%s-%s' % (name, json.dumps(value)), changed(base, ['spec', 'names', name], value))
    tried('names-missing', changed(base, ['spec', 'names']))
    tried('plural-long', definition(plural='p' * 64))
    tried('versions-missing', changed(base, ['spec', 'versions']))
    tried('versions-empty', definition(versions=[]))
    tried('version-name-empty', definition(versions=[version('')]))
    tried('version-name-upper', definition(versions=[version('V1')]))
    tried('version-name-dotted', definition(versions=[version('v1.2')]))
    tried('versions-same', definition(versions=[version(), version(storage=False)]))
    tried('versions-no-storage', definition(versions=[version(storage=False)]))
    tried('versions-two-storages', definition(versions=[version(), version('v2')]))
    tried('versions-not-served', definition(versions=[{**version(), 'served': False}]))
    tried('versions-many', definition(versions=[version('v1beta1', storage=False), version('v2alpha3', storage=False), version('v1'), version('foo', storage=False), version('v10', storage=False)]))
    tried('version-no-schema', changed(base, ['spec', 'versions', 0, 'schema']))
    tried('version-empty-schema', changed(base, ['spec', 'versions', 0, 'schema'], {}))
    tried('version-one-without-schema', definition(versions=[version(), {'name': 'v2', 'served': True, 'storage': False}]))
    tried('version-not-a-bool', changed(base, ['spec', 'versions', 0, 'storage'], 'yes'))
    tried('preserve-unknown-fields', definition(preserveUnknownFields=True))
    tried('preserve-unknown-fields-off', definition(preserveUnknownFields=False))
    tried('unknown-field', definition(wrong=1))
    tried('unknown-field-strict', definition(wrong=1), fieldValidation='Strict')
    tried('unknown-field-ignored', definition(wrong=1), fieldValidation='Ignore')
    tried('unknown-field-in-schema', definition(versions=[version(schema={**spec_of(a=STRING), 'wrong': 1})]), fieldValidation='Strict')
    tried('unknown-field-of-v1beta1', definition(validation={'openAPIV3Schema': OBJECT}, version='v1'), fieldValidation='Strict')
    tried('status-given', {**base, 'status': {'storedVersions': ['v7'], 'conditions': [], 'acceptedNames': {'plural': 'x', 'kind': 'X'}}})
    tried('wrong-api-version', {**base, 'apiVersion': 'apiextensions.k8s.io/v1beta1'})
    tried('wrong-kind', {**base, 'kind': 'Other'})
    tried('no-kind', {k: v for k, v in base.items() if k not in ('kind', 'apiVersion')})
    tried('labels-invalid', definition(metadata={'labels': {'a b': 'c'}}))
    tried('finalizer', definition(metadata={'finalizers': ['a.example.com/f']}))
    tried('finalizer-invalid', definition(metadata={'finalizers': ['f']}))
    for name, value in (('none', None), ('empty', ''), ('url', 'https://github.com/kubernetes/kubernetes/pull/1'), ('unapproved', 'unapproved, testing'), ('other', 'yes'), ('short', 'github.com/x')):
        tried('approval-' + name, definition(group='x.k8s.io', metadata={} if value is None else {'annotations': {'api-approved.kubernetes.io': value}}))
    tried('approval-below', definition(group='a.b.kubernetes.io'))
    tried('approval-sounds-alike', definition(group='notk8s.io'))

    # conversion
    webhook = {'clientConfig': {'url': 'https://127.0.0.1/convert'}, 'conversionReviewVersions': ['v1']}
    client = lambda config: {'strategy': 'Webhook', 'webhook': {**webhook, 'clientConfig': config}}
    for name, value in (
            ('none', {'strategy': 'None'}), ('empty', {}), ('unknown', {'strategy': 'Magic'}), ('none-with-webhook', {'strategy': 'None', 'webhook': webhook}),
            ('webhook', {'strategy': 'Webhook', 'webhook': webhook}), ('webhook-missing', {'strategy': 'Webhook'}),
            ('webhook-empty', {'strategy': 'Webhook', 'webhook': {}}), ('webhook-no-client', {'strategy': 'Webhook', 'webhook': {'conversionReviewVersions': ['v1']}}),
            ('webhook-no-reviews', {'strategy': 'Webhook', 'webhook': {'clientConfig': {'url': 'https://a'}}}),
            ('reviews-unknown', {'strategy': 'Webhook', 'webhook': {**webhook, 'conversionReviewVersions': ['v7']}}),
            ('reviews-malformed', {'strategy': 'Webhook', 'webhook': {**webhook, 'conversionReviewVersions': ['v1', 'V 2', '']}}),
            ('reviews-twice', {'strategy': 'Webhook', 'webhook': {**webhook, 'conversionReviewVersions': ['v1', 'v1']}}),
            ('both-clients', client({'url': 'https://a', 'service': {'name': 'a', 'namespace': 'b'}})),
            ('no-clients', client({})), ('http', client({'url': 'http://a'})), ('url-user', client({'url': 'https://u:p@a/x'})),
            ('url-query', client({'url': 'https://a/x?b=c#d'})), ('url-no-host', client({'url': 'https:///x'})), ('url-bad', client({'url': 'https://a:b:c/%zz'})),
            ('service', client({'service': {'name': 'a', 'namespace': 'b'}})),
            ('service-path', client({'service': {'name': 'a', 'namespace': 'b', 'path': 'x//y', 'port': 70000}})),
            ('service-empty', client({'service': {'name': '', 'namespace': ''}})),
            ('bundle', client({'url': 'https://a', 'caBundle': 'bm90IGEgY2VydGlmaWNhdGU='})),
            ('bundle-not-base64', client({'url': 'https://a', 'caBundle': '!'}))):
        tried('conversion-' + name, definition(conversion=value))

    # subresources, columns, selectable fields, deprecations
    scale = {'specReplicasPath': '.spec.replicas', 'statusReplicasPath': '.status.replicas'}
    for name, value in (
            ('status', {'status': {}}), ('empty', {}), ('scale', {'scale': scale}), ('scale-empty', {'scale': {}}),
            ('scale-selector', {'status': {}, 'scale': {**scale, 'labelSelectorPath': '.status.selector'}}),
            ('scale-swapped', {'scale': {'specReplicasPath': '.status.replicas', 'statusReplicasPath': '.spec.replicas'}}),
            ('scale-no-dot', {'scale': {'specReplicasPath': 'spec.replicas', 'statusReplicasPath': '.status'}}),
            ('scale-array', {'scale': {'specReplicasPath': '.spec.replicas[0]', 'statusReplicasPath': '.status.a[*]'}}),
            ('scale-selector-elsewhere', {'scale': {**scale, 'labelSelectorPath': '.metadata.labels'}}),
            ('scale-selector-malformed', {'scale': {**scale, 'labelSelectorPath': '.spec[0]'}})):
        tried('subresources-' + name, definition(versions=[version(subresources=value)]))
    column = {'name': 'A', 'type': 'string', 'jsonPath': '.spec.a'}
    for name, value in (
            ('plain', [column]), ('all', [{**column, 'priority': 1, 'format': 'date', 'description': 'text'}]), ('empty', []),
            ('no-name', [{**column, 'name': ''}]), ('no-type', [{'name': 'A', 'jsonPath': '.spec.a'}]), ('type-unknown', [{**column, 'type': 'object'}]),
            ('format-unknown', [{**column, 'format': 'hex'}]), ('no-path', [{'name': 'A', 'type': 'string'}]), ('path-no-dot', [{**column, 'jsonPath': 'spec.a'}]),
            ('path-malformed', [{**column, 'jsonPath': '.spec[a'}]), ('path-braces', [{**column, 'jsonPath': '{.spec.a}'}]), ('path-filter', [{**column, 'jsonPath': '.status.conditions[?(@.type=="Ready")].status'}]),
            ('path-quotes', [{**column, 'jsonPath': ".metadata.annotations['a.b/c']"}]), ('path-recursive', [{**column, 'jsonPath': '.spec..a'}]),
            ('path-range', [{**column, 'jsonPath': '.spec.a[0:2]'}]), ('path-unclosed', [{**column, 'jsonPath': '.spec.a[?(@.b==1]'}]),
            ('twice', [column, column]), ('priority-negative', [{**column, 'priority': -1}]), ('priority-text', [{**column, 'priority': 'high'}])):
        tried('columns-' + name, definition(versions=[version(additionalPrinterColumns=value)]))
    selectable = spec_of(a=STRING, b={'type': 'boolean'}, i=INTEGER, n={'type': 'number'}, o=fields(p=STRING), l={'type': 'array', 'items': STRING}, e={'type': 'string', 'enum': ['x']},
                         m={'type': 'object', 'additionalProperties': STRING}, u=ANY, **{'d.e': STRING})
    for name, paths in (
            ('plain', ['.spec.a', '.spec.b', '.spec.i', '.spec.e', '.spec.o.p']), ('empty', ['']), ('no-dot', ['spec.a']), ('number', ['.spec.n']), ('object', ['.spec.o']),
            ('array', ['.spec.l']), ('items', ['.spec.l[0]']), ('missing', ['.spec.z']), ('map', ['.spec.m.k']), ('unknown', ['.spec.u.x']), ('twice', ['.spec.a', '.spec.a']),
            ('metadata', ['.metadata.name']), ('kind', ['.kind']), ('many', ['.spec.a', '.spec.b', '.spec.i', '.spec.e', '.spec.o.p', '.spec.z1', '.spec.z2', '.spec.z3', '.spec.z4']),
            ('quoted', [".spec['a']"]), ('dotted', [".spec.d\\.e"]), ('trailing', ['.spec.']), ('root', ['.'])):
        tried('selectable-' + name, definition(versions=[version(schema=selectable, selectableFields=[{'jsonPath': path} for path in paths])]))
    for name, more in (
            ('plain', {'deprecated': True}), ('warning', {'deprecated': True, 'deprecationWarning': 'use v2'}), ('not-deprecated', {'deprecationWarning': 'use v2'}),
            ('empty', {'deprecated': True, 'deprecationWarning': ''}), ('long', {'deprecated': True, 'deprecationWarning': 'w' * 257}),
            ('lines', {'deprecated': True, 'deprecationWarning': 'a\nb'})):
        tried('deprecation-' + name, definition(versions=[version(**more)]))


def schema_steps():
    schema_tried('no-type', {'properties': {'spec': OBJECT}})
    schema_tried('root-array', {'type': 'array', 'items': STRING})
    schema_tried('root-string', {'type': 'string'})
    schema_tried('root-additional', {'type': 'object', 'additionalProperties': STRING})
    schema_tried('root-preserve', {'type': 'object', **ANY})
    schema_tried('root-nullable', {'type': 'object', 'nullable': True})
    schema_tried('root-default', {'type': 'object', 'default': {}})
    schema_tried('status-without-status', {**fields(spec=OBJECT, status=OBJECT), 'required': ['spec']}, subresources={'status': {}})
    schema_tried('root-with-status', {**fields(spec=OBJECT), 'description': 'text', 'title': 'title', 'minProperties': 1}, subresources={'status': {}})
    schema_tried('root-embedded', {**fields(spec=OBJECT), 'x-kubernetes-embedded-resource': True})
    schema_tried('metadata-name', fields(metadata=fields(name={'type': 'string', 'maxLength': 3, 'pattern': '^a'})))
    schema_tried('metadata-labels', fields(metadata=fields(labels={'type': 'object', 'additionalProperties': STRING})))
    schema_tried('metadata-string', fields(metadata=STRING))
    schema_tried('metadata-required', fields(metadata={'type': 'object', 'required': ['name']}))
    schema_tried('metadata-described', fields(metadata={'type': 'object', 'description': 'text'}))
    schema_tried('metadata-default', fields(metadata=fields(name={'type': 'string', 'default': 'a'})))
    schema_tried('kind-integer', fields(kind=INTEGER, apiVersion={'type': 'object'}))
    schema_tried('kind-enum', fields(kind={'type': 'string', 'enum': ['Thing']}, apiVersion={'type': 'string', 'default': 'x'}))
    for name, schema in (
            ('empty', {}), ('type-unknown', {'type': 'text'}), ('type-null', {'type': 'null'}), ('type-list', {'type': ['string']}), ('array-no-items', {'type': 'array'}),
            ('array-items-list', {'type': 'array', 'items': [STRING]}), ('array-items-empty', {'type': 'array', 'items': {}}),
            ('additional-and-properties', {'type': 'object', 'properties': {'a': STRING}, 'additionalProperties': STRING}),
            ('additional-false', {'type': 'object', 'additionalProperties': False}), ('additional-true', {'type': 'object', 'additionalProperties': True}),
            ('additional-of-string', {'type': 'string', 'additionalProperties': STRING}), ('properties-of-string', {'type': 'string', 'properties': {'a': STRING}}),
            ('items-of-object', {'type': 'object', 'items': STRING}),
            ('additional-items', {'type': 'array', 'items': STRING, 'additionalItems': STRING}), ('pattern-properties', {'type': 'object', 'patternProperties': {'a': STRING}}),
            ('definitions', {'type': 'object', 'definitions': {'a': STRING}}), ('dependencies', {'type': 'object', 'dependencies': {'a': ['b']}}), ('ref', {'$ref': '#/x'}),
            ('schema', {'type': 'string', '$schema': 'http://json-schema.org/x', 'id': 'x'}), ('unique', {'type': 'array', 'items': STRING, 'uniqueItems': True}),
            ('unique-false', {'type': 'array', 'items': STRING, 'uniqueItems': False}), ('pattern', {'type': 'string', 'pattern': '(a'}), ('pattern-class', {'type': 'string', 'pattern': '[z-a]'}), ('pattern-lookahead', {'type': 'string', 'pattern': '(?!a)b'}),
            ('format-unknown', {'type': 'string', 'format': 'x-mine'}), ('nullable', {'type': 'string', 'nullable': True, 'default': None}),
            ('external-docs', {'type': 'string', 'externalDocs': {'url': 'https://a', 'description': 'b'}, 'example': {'a': 1}, 'title': 't'}),
            ('number-keywords', {'type': 'number', 'minimum': 1.5, 'exclusiveMinimum': True, 'maximum': 3, 'exclusiveMaximum': True, 'multipleOf': 0.5}),
            ('minimum-text', {'type': 'number', 'minimum': 'one'}), ('length-negative', {'type': 'string', 'maxLength': -1}), ('length-float', {'type': 'string', 'maxLength': 1.5}),
            ('required-text', {'type': 'object', 'required': 'a'}), ('required-unknown', {'type': 'object', 'required': ['z']}), ('enum-mixed', {'type': 'string', 'enum': ['a', 1]}), ('enum-empty', {'type': 'string', 'enum': []}),
            ('int-or-string', {'x-kubernetes-int-or-string': True}), ('int-or-string-typed', {'type': 'string', 'x-kubernetes-int-or-string': True}),
            ('int-or-string-any-of', {'x-kubernetes-int-or-string': True, 'anyOf': [INTEGER, STRING]}),
            ('int-or-string-all-of', {'x-kubernetes-int-or-string': True, 'allOf': [{'anyOf': [INTEGER, STRING]}, {'pattern': 'a'}]}),
            ('int-or-string-any-of-reversed', {'x-kubernetes-int-or-string': True, 'anyOf': [STRING, INTEGER]}),
            ('int-or-string-preserve', {'x-kubernetes-int-or-string': True, **ANY}),
            ('any', ANY), ('any-typed', {'type': 'object', **ANY}), ('any-false', {'type': 'object', 'x-kubernetes-preserve-unknown-fields': False}), ('any-string', {'type': 'string', **ANY}),
            ('any-array', {'type': 'array', 'items': STRING, **ANY}),
            ('embedded', {'type': 'object', 'x-kubernetes-embedded-resource': True}), ('embedded-any', {'type': 'object', 'x-kubernetes-embedded-resource': True, **ANY}),
            ('embedded-untyped', {'x-kubernetes-embedded-resource': True, **ANY}), ('embedded-string', {'type': 'string', 'x-kubernetes-embedded-resource': True}),
            ('embedded-properties', {**fields(apiVersion=STRING, kind=STRING, metadata=OBJECT, spec=OBJECT), 'x-kubernetes-embedded-resource': True}),
            ('embedded-bad-properties', {**fields(apiVersion=INTEGER, kind=OBJECT, metadata=STRING), 'x-kubernetes-embedded-resource': True}),
            ('embedded-additional', {'type': 'object', 'x-kubernetes-embedded-resource': True, 'additionalProperties': STRING}),
            ('list-set', {'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'set'}), ('list-unknown', {'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'bag'}),
            ('list-atomic', {'type': 'array', 'items': OBJECT, 'x-kubernetes-list-type': 'atomic'}), ('list-of-object', {'type': 'object', 'x-kubernetes-list-type': 'atomic'}),
            ('list-set-objects', {'type': 'array', 'items': OBJECT, 'x-kubernetes-list-type': 'set'}), ('list-set-atomic-objects', {'type': 'array', 'items': {**OBJECT, 'x-kubernetes-map-type': 'atomic'}, 'x-kubernetes-list-type': 'set'}),
            ('list-set-nullable', {'type': 'array', 'items': {**STRING, 'nullable': True}, 'x-kubernetes-list-type': 'set'}),
            ('list-set-lists', {'type': 'array', 'items': {'type': 'array', 'items': STRING}, 'x-kubernetes-list-type': 'set'}),
            ('list-map-no-keys', {'type': 'array', 'items': fields(k=STRING), 'x-kubernetes-list-type': 'map'}),
            ('list-map', {'type': 'array', 'items': {**fields(k=STRING), 'required': ['k']}, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']}),
            ('list-map-optional-key', {'type': 'array', 'items': fields(k=STRING), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']}),
            ('list-map-default-key', {'type': 'array', 'items': fields(k={**STRING, 'default': 'x'}), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']}),
            ('list-map-unknown-key', {'type': 'array', 'items': fields(k=STRING), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['z']}),
            ('list-map-same-keys', {'type': 'array', 'items': {**fields(k=STRING), 'required': ['k']}, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'k']}),
            ('list-map-object-key', {'type': 'array', 'items': {**fields(k=OBJECT), 'required': ['k']}, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']}),
            ('list-map-strings', {'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']}),
            ('list-map-nullable', {'type': 'array', 'items': {**fields(k=STRING), 'required': ['k'], 'nullable': True}, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']}),
            ('list-keys-of-set', {'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['k']}),
            ('list-keys-alone', {'type': 'array', 'items': fields(k=STRING), 'x-kubernetes-list-map-keys': ['k']}),
            ('map-granular', {'type': 'object', 'x-kubernetes-map-type': 'granular', 'additionalProperties': STRING}), ('map-unknown', {'type': 'object', 'x-kubernetes-map-type': 'x'}),
            ('map-of-array', {'type': 'array', 'items': STRING, 'x-kubernetes-map-type': 'atomic'}),
            ('any-of', {'type': 'string', 'anyOf': [{'minLength': 1}, {'pattern': 'a'}]}), ('any-of-typed', {'anyOf': [STRING, INTEGER]}), ('one-of-typed', {'type': 'object', 'oneOf': [fields(a=STRING)]}),
            ('all-of-default', {'type': 'object', 'properties': {'a': STRING}, 'allOf': [{'properties': {'a': {'default': 'x', 'nullable': True, 'description': 'd'}}}]}),
            ('not-unspecified', {'type': 'object', 'not': {'properties': {'a': {'minLength': 1}}}}), ('one-of-required', {**fields(a=STRING, b=STRING), 'oneOf': [{'required': ['a']}, {'required': ['b']}]}),
            ('all-of-items', {'type': 'array', 'items': STRING, 'allOf': [{'items': {'minLength': 2}}]}), ('all-of-items-missing', {'type': 'object', 'allOf': [{'items': {'minLength': 2}}]}),
            ('nested-extensions', {'type': 'object', 'allOf': [{**ANY, 'x-kubernetes-list-type': 'set', 'additionalProperties': STRING, 'title': 'x'}]}),
            ('not-typed', {'type': 'string', 'not': {'type': 'integer'}}), ('forbidden-metadata', {'type': 'object', 'anyOf': [{'properties': {'metadata': {'minProperties': 1}}}]})):
        value_tried(name, schema)
    for name, schema in (
            ('type', {'type': 'string', 'default': 1}), ('fits', {'type': 'string', 'default': 'a'}), ('empty', {'type': 'string', 'default': ''}), ('null', {'type': 'string', 'default': None}),
            ('null-nullable', {'type': 'string', 'nullable': True, 'default': None}), ('pattern', {'type': 'string', 'pattern': '^b', 'default': 'a'}), ('enum', {'type': 'string', 'enum': ['a', 'b'], 'default': 'c'}),
            ('range', {'type': 'integer', 'minimum': 3, 'maximum': 1, 'default': 2}), ('float', {'type': 'integer', 'default': 1.5}), ('whole-float', {'type': 'integer', 'default': 1.0}),
            ('unknown', {**fields(a=STRING), 'default': {'b': 'c'}}), ('unknown-preserved', {**fields(a=STRING), **ANY, 'default': {'b': 'c'}}),
            ('inner', {**fields(a={**STRING, 'default': 'x'}), 'default': {}}), ('inner-wrong', {**fields(a={**STRING, 'default': 1}), 'default': {}}), ('required', {**fields(a=STRING), 'required': ['a'], 'default': {}}),
            ('array', {'type': 'array', 'items': STRING, 'default': ['a', 1]}), ('array-items', {'type': 'array', 'items': {**STRING, 'default': 'z'}, 'default': ['a', None]}),
            ('set', {'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'set', 'default': ['a', 'a']}),
            ('map', {'type': 'object', 'additionalProperties': INTEGER, 'default': {'a': 'b'}}), ('format', {'type': 'string', 'format': 'date-time', 'default': 'now'}), ('format-ipv4', {'type': 'string', 'format': 'ipv4', 'default': '1.2.3'}),
            ('int-or-string', {'x-kubernetes-int-or-string': True, 'default': '50%'}), ('int-or-string-bool', {'x-kubernetes-int-or-string': True, 'default': True}),
            ('embedded', {'type': 'object', 'x-kubernetes-embedded-resource': True, **ANY, 'default': {'a': 1}}),
            ('embedded-full', {'type': 'object', 'x-kubernetes-embedded-resource': True, **ANY, 'default': {'apiVersion': 'v1', 'kind': 'X', 'metadata': {'name': 'a'}}}),
            ('embedded-metadata', {'type': 'object', 'x-kubernetes-embedded-resource': True, **ANY, 'default': {'apiVersion': 'v1', 'kind': 'X', 'metadata': {'name': 'a', 'unknown': 1}}}),
            ('any-of', {'type': 'string', 'anyOf': [{'minLength': 3}, {'pattern': '^b'}], 'default': 'a'})):
        value_tried('default-' + name, schema)


# ---------------------------------------------------------------- life of definitions
def life_steps():
    one = definition('cats', 'Cat', names={'shortNames': ['ct'], 'categories': ['all', 'pets']}, versions=[version(subresources={'status': {}, 'scale': {'specReplicasPath': '.spec.n', 'statusReplicasPath': '.status.n'}}), version('v2beta1', storage=False), version('v1alpha1', storage=False)])
    install(one)
    cats = DEFINITIONS + '/cats.' + GROUP
    ask('life/again', 'POST', DEFINITIONS, one)
    ask('life/group', 'GET', '/apis/' + GROUP)
    ask('life/groups', 'GET', '/apis', proj=lambda o: [g for g in o['groups'] if g['name'] == GROUP], until=lambda code, o: any(g['name'] == GROUP for g in o['groups']))
    for name in ('v1', 'v2beta1', 'v1alpha1', 'v9'):
        ask('life/resources-' + name, 'GET', '/apis/%s/%s' % (GROUP, name))
    ask('life/aggregated', 'GET', '/apis', accept=DISCOVERY, proj=aggregated, until=lambda code, o: any(g['metadata']['name'] == GROUP for g in o.get('items', [])))
    conflict = [definition('cats2', 'Cat'), definition('dogs', 'Dog', names={'singular': 'cat'}), definition('birds', 'Bird', names={'shortNames': ['ct', 'bd', 'cat']}),
                definition('fishes', 'Fish', names={'listKind': 'CatList'})]
    for each in conflict:
        name = each['metadata']['name']
        ask('life/conflict-' + name, 'POST', DEFINITIONS, each)
        ask('life/conflict-status-' + name, 'GET', DEFINITIONS + '/' + name, until=lambda code, o: pick(o, 'status.conditions'), settles=0.2, proj=status_of)
        ask('life/conflict-objects-' + name, 'GET', '/apis/%s/v1/%s' % (GROUP, each['spec']['names']['plural']))
    ask('life/other-group', 'POST', query(DEFINITIONS, dryRun='All'), definition('cats', 'Cat', group='b.example.com'))
    # changes
    def change(name, method, patch, ctype=MERGE, path=cats, **more):
        ask('change/' + name, method, path, patch, ctype=ctype, **more)
    change('group', 'PATCH', {'spec': {'group': 'z.example.com'}})
    change('plural', 'PATCH', {'spec': {'names': {'plural': 'kittens'}}})
    change('scope', 'PATCH', {'spec': {'scope': 'Cluster'}})
    change('kind', 'PATCH', {'spec': {'names': {'kind': 'Kitten'}}}, path=cats + '?dryRun=All')
    change('preserve', 'PATCH', {'spec': {'preserveUnknownFields': True}})
    change('remove-storage-version', 'PATCH', [{'op': 'remove', 'path': '/spec/versions/0'}], JSONPATCH)
    change('move-storage', 'PATCH', [{'op': 'replace', 'path': '/spec/versions/0/storage', 'value': False}, {'op': 'replace', 'path': '/spec/versions/1/storage', 'value': True}], JSONPATCH, proj=status_of)
    change('remove-stored-version', 'PATCH', [{'op': 'remove', 'path': '/spec/versions/0'}], JSONPATCH)
    change('stored-versions', 'PATCH', {'status': {'storedVersions': ['v2beta1']}}, path=cats + '/status', proj=status_of)
    change('stored-versions-empty', 'PATCH', {'status': {'storedVersions': []}}, path=cats + '/status')
    change('stored-versions-unknown', 'PATCH', {'status': {'storedVersions': ['v2beta1', 'v7']}}, path=cats + '/status?dryRun=All')
    change('status-by-main', 'PATCH', {'status': {'storedVersions': ['v1']}}, proj=status_of)
    change('spec-by-status', 'PATCH', {'spec': {'scope': 'Cluster'}, 'metadata': {'labels': {'a': 'b'}}}, path=cats + '/status', proj=lambda o: {'scope': pick(o, 'spec.scope'), 'labels': pick(o, 'metadata.labels'), 'generation': pick(o, 'metadata.generation')})
    change('short-names', 'PATCH', {'spec': {'names': {'shortNames': ['ct', 'kit']}}}, proj=told)
    ask('change/short-names-accepted', 'GET', cats, until=lambda code, o: 'kit' in (pick(o, 'status.acceptedNames.shortNames') or []), proj=status_of)
    change('unserve', 'PATCH', [{'op': 'replace', 'path': '/spec/versions/2/served', 'value': False}], JSONPATCH, proj=status_of)
    ask('change/unserved', 'GET', '/apis/%s/v1alpha1/cats' % GROUP, until=lambda code, o: code == 404)
    ask('change/unserved-group', 'GET', '/apis/' + GROUP, until=lambda code, o: len(o['versions']) == 2)
    change('put', 'PUT', definition('cats', 'Cat'), 'application/json')
    ask('read/definition-table', 'GET', query(DEFINITIONS, fieldSelector='metadata.name=cats.' + GROUP), accept=TABLE, re=[(r'20\d\d-[-:\dTZ]*', '<time>')])
    ask('read/definition-meta', 'GET', cats, accept=META)
    ask('read/definition-missing', 'GET', DEFINITIONS + '/nothing')
    ask('read/definition-selector', 'GET', query(DEFINITIONS, fieldSelector='spec.group=a'))
    ask('change/delete-rival', 'DELETE', DEFINITIONS + '/cats2.' + GROUP, proj=status_of, until=lambda code, o: code == 200)
    ask('change/deleted-rival', 'GET', DEFINITIONS + '/cats2.' + GROUP, until=lambda code, o: code == 404)
    ask('change/make-object', 'POST', '/apis/%s/v1/namespaces/default/cats' % GROUP, {'apiVersion': GROUP + '/v1', 'kind': 'Cat', 'metadata': {'name': 'tom', 'finalizers': ['a.example.com/f']}})
    ask('change/delete', 'DELETE', cats, proj=lambda o: {**status_of(o), 'deletionTimestamp': pick(o, 'metadata.deletionTimestamp')})
    ask('change/terminating', 'GET', cats, until=lambda code, o: pick(o, 'status.conditions') and pick(o, 'status.conditions')[-1].get('reason') == 'InstanceDeletionInProgress', proj=status_of)
    ask('change/terminating-object', 'GET', '/apis/%s/v1/namespaces/default/cats/tom' % GROUP, until=lambda code, o: pick(o, 'metadata.deletionTimestamp'))
    ask('change/terminating-create', 'POST', '/apis/%s/v1/namespaces/default/cats' % GROUP, {'apiVersion': GROUP + '/v1', 'kind': 'Cat', 'metadata': {'name': 'tim'}})
    ask('change/finish-object', 'PATCH', '/apis/%s/v1/namespaces/default/cats/tom' % GROUP, {'metadata': {'finalizers': None}}, ctype=MERGE)
    ask('change/deleted', 'GET', cats, until=lambda code, o: code == 404)
    ask('change/gone', 'GET', '/apis/%s/v1/cats' % GROUP, until=lambda code, o: code == 404)
    for name in ('dogs', 'birds', 'fishes'):
        ask('change/freed-' + name, 'GET', '%s/%s.%s' % (DEFINITIONS, name, GROUP), until=lambda code, o: is_true(o, 'Established'), proj=status_of)
        ask('change/remove-' + name, 'DELETE', '%s/%s.%s' % (DEFINITIONS, name, GROUP), body_is='ignore')
        ask('change/removed-' + name, 'GET', '%s/%s.%s' % (DEFINITIONS, name, GROUP), until=lambda code, o: code == 404)


def aggregated(o):
    return [{**g, 'metadata': {'name': g['metadata']['name']}} for g in o.get('items', []) if g['metadata']['name'] == GROUP]


# ---------------------------------------------------------------- values against schemas
UUIDS = {'uuid': '-4', 'uuid3': '-3', 'uuid4': '-4', 'uuid5': '-5'}
FORMATS = {
    'bsonobjectid': ['507f1f77bcf86cd799439011', 'x'], 'uri': ['https://a/b', 'a b', '/x'], 'email': ['a@b.example', 'a@', 'x'], 'hostname': ['a.b-c', 'a_b', '-a'],
    'ipv4': ['1.2.3.4', '1.2.3', '::1'], 'ipv6': ['::1', '1.2.3.4'], 'cidr': ['10.0.0.0/8', '10.0.0.0'], 'mac': ['01:23:45:67:89:ab', '01:23'],
    'uuid': ['a0eebc99-9c0b-3ef8-bb6d-6bb9bd380a11', 'a'], 'uuid3': ['a0eebc99-9c0b-3ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    'uuid4': ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-3ef8-bb6d-6bb9bd380a11'], 'uuid5': ['a0eebc99-9c0b-5ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-3ef8-bb6d-6bb9bd380a11'],
    'isbn': ['0321751043', '978-0321751041', '1'], 'isbn10': ['0321751043', '978-0321751041'], 'isbn13': ['978 0321751041', '0321751043'],
    'creditcard': ['4111111111111111', '1'], 'ssn': ['123-45-6789', '1'], 'hexcolor': ['#FFFFFF', '#GG'], 'rgbcolor': ['rgb(255,255,255)', 'rgb(300,1,1)'],
    'byte': ['YQ==', '!'], 'password': ['anything'], 'date': ['2020-01-02', '2020-13-01'], 'duration': ['22 ns', '1h', 'x', '1.5h'],
    'date-time': ['2020-01-02T03:04:05Z', '2020-01-02', '2020-01-02T03:04:05.123+01:00'], 'datetime': ['2020-01-02T03:04:05Z', 'x'],
    'k8s-short-name': ['abc', 'A'], 'k8s-long-name': ['a.b', 'a..b'], 'x-mine': ['anything'],
}
CHECKS = [
    ('string', STRING, ['a', 1, 1.5, True, None, {}, []]), ('integer', INTEGER, [1, -0.0, 1.0, 1.5, '1', True, 9223372036854775807, 9223372036854775808, 1e20, None, []]),
    ('number', {'type': 'number'}, [1, 1.5, '1', False, 1e300]), ('boolean', {'type': 'boolean'}, [True, 'true', 0]), ('array', {'type': 'array', 'items': STRING}, [['a'], ['a', 1], 'a', {}, [None]]),
    ('object', fields(a=STRING, b=INTEGER), [{'a': 'b'}, {'a': 1, 'b': 'c'}, 'x', [], {'a': None}]), ('nullable', {**STRING, 'nullable': True}, [None, 'a', 1]),
    ('map', {'type': 'object', 'additionalProperties': INTEGER}, [{'a': 1}, {'a': 'b'}, {'a.b/c': 'x'}, {'': 'x'}]),
    ('maps', {'type': 'object', 'additionalProperties': {'type': 'array', 'items': INTEGER}}, [{'a': [1, 'b']}]),
    ('intOrString', {'x-kubernetes-int-or-string': True}, [1, 'a', 1.5, True, {}, [1], None]),
    ('intOrStringPattern', {'x-kubernetes-int-or-string': True, 'anyOf': [INTEGER, STRING], 'pattern': '^[0-9]+%$', 'maximum': 5}, [1, 9, '5%', 'a']),
    ('maxLength', {**STRING, 'maxLength': 3}, ['abc', 'abcd', 'äöü', 'äöüß']), ('minLength', {**STRING, 'minLength': 2}, ['a', 'ä', '']), ('pattern', {**STRING, 'pattern': '^a+$'}, ['aa', 'b', 'a\n', '"']),
    ('enum', {**STRING, 'enum': ['a', 'b"c']}, ['a', 'd', '']), ('enumInteger', {**INTEGER, 'enum': [1, 2]}, [1, 3, 1.0]), ('enumObject', {**fields(a=INTEGER), 'enum': [{'a': 1}]}, [{'a': 1}, {'a': 2}]),
    ('minimum', {**INTEGER, 'minimum': 2}, [2, 1, -5]), ('exclusiveMinimum', {**INTEGER, 'minimum': 2, 'exclusiveMinimum': True}, [3, 2]), ('maximum', {**INTEGER, 'maximum': 2}, [3]),
    ('exclusiveMaximum', {**INTEGER, 'maximum': 2, 'exclusiveMaximum': True}, [2]), ('minimumFloat', {'type': 'number', 'minimum': 0.5}, [0.5, 0.25, 0]), ('maximumFloat', {'type': 'number', 'maximum': 1e10}, [1e11, 20000000000]),
    ('multipleOf', {**INTEGER, 'multipleOf': 3}, [6, 7, 0]), ('multipleOfFloat', {'type': 'number', 'multipleOf': 0.1}, [0.3, 0.35]),
    ('int32', {**INTEGER, 'format': 'int32'}, [2147483647, 2147483648]), ('int64', {**INTEGER, 'format': 'int64'}, [1, 1.5]), ('float', {'type': 'number', 'format': 'float'}, [1.5, 1e39]), ('double', {'type': 'number', 'format': 'double'}, [1e39]),
    ('minItems', {'type': 'array', 'items': INTEGER, 'minItems': 2}, [[1], []]), ('maxItems', {'type': 'array', 'items': INTEGER, 'maxItems': 1}, [[1, 2]]),
    ('minProperties', {'type': 'object', 'additionalProperties': INTEGER, 'minProperties': 1}, [{}]), ('maxProperties', {'type': 'object', 'additionalProperties': INTEGER, 'maxProperties': 1}, [{'a': 1, 'b': 2}]),
    ('required', {**fields(a=STRING, b=STRING), 'required': ['a', 'b']}, [{'a': 'x'}, {}, {'a': None, 'b': ''}]), ('requiredItems', {'type': 'array', 'items': {**fields(a=STRING), 'required': ['a']}}, [[{'a': 'x'}, {}]]),
    ('allOf', {**STRING, 'allOf': [{'minLength': 2}, {'pattern': '^a'}]}, ['ab', 'a', 'b', 'bb']), ('anyOf', {**STRING, 'anyOf': [{'minLength': 3}, {'pattern': '^a'}]}, ['a', 'b', 'bbb']),
    ('oneOf', {**STRING, 'oneOf': [{'minLength': 3}, {'pattern': '^a'}]}, ['a', 'b', 'aaa']), ('not', {**STRING, 'not': {'pattern': '^a'}}, ['a', 'b']),
    ('oneOfRequired', {**fields(a=STRING, b=STRING), 'oneOf': [{'required': ['a']}, {'required': ['b']}]}, [{'a': ''}, {}, {'a': '', 'b': ''}]),
    ('notRequired', {**fields(a=STRING, b=STRING), 'not': {'required': ['a', 'b']}}, [{'a': '', 'b': ''}]),
    ('anyOfNested', {**fields(a=fields(b=INTEGER)), 'anyOf': [{'properties': {'a': {'properties': {'b': {'minimum': 5}}}}}, {'required': ['c']}], 'x-kubernetes-preserve-unknown-fields': True}, [{'a': {'b': 1}}, {'c': 1, 'a': {'b': 1}}]),
    ('set', {'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'set'}, [['a', 'b'], ['a', 'b', 'a', 'a']]), ('setIntegers', {'type': 'array', 'items': INTEGER, 'x-kubernetes-list-type': 'set'}, [[1, 1.0]]),
    ('listMap', {'type': 'array', 'items': {**fields(k=STRING, n={**INTEGER, 'default': 1}, v=STRING), 'required': ['k']}, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'n']}, [[{'k': 'a'}, {'k': 'a', 'n': 2}], [{'k': 'a', 'v': 'x'}, {'k': 'a', 'n': 1}], [{'v': 'x'}], ['a']]),
    ('embedded', {'type': 'object', 'x-kubernetes-embedded-resource': True, **ANY}, [
        {}, {'apiVersion': 'v1', 'kind': 'Pod'}, {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'a', 'wrong': 1, 'labels': {'a': 'b'}}, 'spec': {'x': 1}}, {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': 'x'},
        {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 1}}, {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'A b', 'labels': {'a b': 'c'}, 'namespace': 'X'}}, {'apiVersion': 'a/b/c', 'kind': 'p q'}, {'apiVersion': '', 'kind': ''}, {'apiVersion': 1, 'kind': 'Pod'}]),
    ('embeddedTyped', {**fields(spec=fields(a=STRING)), 'x-kubernetes-embedded-resource': True}, [{'apiVersion': 'v1', 'kind': 'X', 'spec': {'a': 'b', 'c': 'd'}, 'other': 1}]),
    ('any', ANY, [1, 'a', None, {'a': {'b': [1, None]}}, [1, {'c': None}]]), ('anyTyped', {**fields(a=fields(b=STRING)), **ANY}, [{'a': {'b': 'c', 'd': 'e'}, 'f': {'g': 1}}, 'x']),
    ('itemsTyped', {'type': 'array', 'items': fields(a=STRING)}, [[{'a': 'b', 'c': 'd'}, {'e': 1}]]), ('emptyObject', OBJECT, [{'a': 1}, {}]),
    ('additionalTrue', {'type': 'object', 'additionalProperties': True}, [{'a': {'b': 1}}]),
] + [('format-' + name, {**STRING, 'format': name}, values) for name, values in FORMATS.items()]


def field_of(name):
    return name.replace('-', '')


def value_steps():
    install(definition('checks', 'Check', versions=[version(schema=spec_of(**{field_of(name): schema for name, schema, _ in CHECKS}))]))
    path = query('/apis/%s/v1/namespaces/default/checks' % GROUP, dryRun='All')
    for name, _, values in CHECKS:
        for i, value in enumerate(values):
            body = {'apiVersion': GROUP + '/v1', 'kind': 'Check', 'metadata': {'name': 'x'}, 'spec': {field_of(name): value}}
            ask('value/%s-%d' % (name, i), 'POST', path, body, proj=spec_or_status)


def spec_or_status(o):
    return told(o) if o.get('kind') == 'Status' else o.get('spec')


# ---------------------------------------------------------------- defaults and unknown fields
def default_steps():
    schema = {**fields(
        spec={**fields(a={**STRING, 'default': 'x'}, n={**STRING, 'nullable': True, 'default': 'y'}, z={**STRING, 'nullable': True}, o=fields(p={**INTEGER, 'default': 7}), d={**fields(q={**STRING, 'default': 'in'}), 'default': {}},
                       l={'type': 'array', 'items': fields(k=STRING, v={**STRING, 'default': 'w'})}, m={'type': 'object', 'additionalProperties': fields(v={**INTEGER, 'default': 3})}, e={'type': 'array', 'items': {**STRING, 'default': 'i'}}, any=ANY,
                       b={'type': 'boolean', 'default': False}, f={'type': 'number', 'default': 1.50}), 'default': {}},
        status=fields(phase={**STRING, 'default': 'New'}))}
    install(definition('makes', 'Make', scope='Cluster', versions=[version(schema=schema, subresources={'status': {}})]))
    path = '/apis/%s/v1/makes' % GROUP
    def make(name, spec, ctype=None, re=(), **parameters):
        body = spec if isinstance(spec, str) else {'apiVersion': GROUP + '/v1', 'kind': 'Make', 'metadata': {'name': 'm'}, **spec}
        ask('make/' + name, 'POST', query(path, **{'dryRun': 'All', **parameters}), body, re=re, **({'ctype': ctype} if ctype else {}))
    make('nothing', {})
    make('null-spec', {'spec': None})
    make('nulls', {'spec': {'a': None, 'n': None, 'z': None, 'o': None, 'd': None, 'b': None}})
    make('nested', {'spec': {'o': {}, 'd': {}, 'l': [{}, {'k': 'a', 'v': None}], 'm': {'x': {}, 'y': {'v': 4}}, 'e': [None, 'a']}})
    make('status', {'status': {'phase': 'Old'}})
    unknown = {'spec': {'wrong': 1, 'o': {'deep': {'er': 1}}, 'l': [{'k': 'a'}, {'u': 1}], 'm': {'x': {'u': 1}}, 'any': {'kept': 1}}, 'more': 2, 'status': {'u': 1}}
    for how in ('Strict', 'Warn', 'Ignore', 'Never', ''):
        make('unknown-' + how, unknown, fieldValidation=how)
    make('unknown-unsaid', unknown)
    twice = '{"apiVersion":"%s/v1","kind":"Make","metadata":{"name":"m","name":"m"},"spec":{"a":"1","a":"2","o":{"p":1,"p":2}},"spec":{"a":"3"}}' % GROUP
    for how in ('Strict', 'Warn', 'Ignore'):
        make('twice-' + how, twice, fieldValidation=how)
    for how in ('Strict', 'Warn'):
        make('metadata-unknown-' + how, {'metadata': {'name': 'm', 'wrong': 1, 'labels': {'a': 'b'}, 'ownerReferences': [{'apiVersion': 'v1', 'kind': 'X', 'name': 'n', 'uid': 'u', 'odd': True}]}}, fieldValidation=how)
    yaml = 'apiVersion: %s/v1\nkind: Make\nmetadata: {name: m}\nspec:\n  a: one\n  a: two\n  wrong: 1\n' % GROUP
    for how in ('Strict', 'Warn', 'Ignore'):
        make('yaml-' + how, yaml, 'application/yaml', fieldValidation=how)
    make('yaml-bad', 'a: [b', 'application/yaml')
    make('json-bad', '{"a": ', 'application/json')
    make('json-number', '{"apiVersion":"%s/v1","kind":"Make","metadata":{"name":"m"},"spec":{"f":01}}' % GROUP)
    make('json-numbers', '{"apiVersion":"%s/v1","kind":"Make","metadata":{"name":"m"},"spec":{"any":[1.0,1e2,1.50,100000000000000000000,0.1e-7,-0,-0.0,1E400]}}' % GROUP)
    make('json-more-numbers', '{"apiVersion":"%s/v1","kind":"Make","metadata":{"name":"m"},"spec":{"any":[1.0,1e2,1.50,100000000000000000000,0.1e-7,-0,-0.0,1e21,123456789.125,"<&>\\u2028"]}}' % GROUP)
    make('case', {'spec': {'A': 'upper', 'O': {'P': 1}}}, fieldValidation='Strict')
    make('metadata-null', {'metadata': None})
    make('metadata-text', {'metadata': 'x'})
    make('metadata-wrong', {'metadata': {'name': 'm', 'labels': {'a': 1}}})
    make('metadata-name-number', {'metadata': {'name': 1}})
    make('metadata-labels-list', {'metadata': {'name': 'm', 'labels': ['a']}})
    make('metadata-annotations-null', {'metadata': {'name': 'm', 'annotations': {'a': None}}})
    make('metadata-time', {'metadata': {'name': 'm', 'creationTimestamp': 'yesterday'}})
    make('no-name', {'metadata': {}})
    for name in ('A', 'a b', 'a..b', 'a/b', 'x' * 253, 'x' * 254, '1', '-a', '.', '%'):
        make('name-' + (name if len(name) < 5 else str(len(name))), {'metadata': {'name': name}})
    make('name-namespace', {'metadata': {'name': 'm', 'namespace': 'default'}})
    make('generate-name-bad', {'metadata': {'generateName': 'A_'}}, re=[(r'A_\w{5}', 'A_<random>')])
    make('labels', {'metadata': {'name': 'm', 'labels': {'a b': 'c', 'd': 'e f', 'g': 'h' * 64, 'i/j/k': ''}}})
    make('annotations', {'metadata': {'name': 'm', 'annotations': {'a b': 'c', 'A/B': 'd'}}})
    make('annotations-large', {'metadata': {'name': 'm', 'annotations': {'a': 'x' * 262145}}})
    make('owners', {'metadata': {'name': 'm', 'ownerReferences': [{'apiVersion': 'v1', 'kind': '', 'name': '', 'uid': ''}, {'apiVersion': 'a/b/c', 'kind': 'K', 'name': 'n', 'uid': 'u', 'controller': True}, {'apiVersion': 'v1', 'kind': 'K', 'name': 'n', 'uid': 'v', 'controller': True}]}})
    make('finalizers', {'metadata': {'name': 'm', 'finalizers': ['f', 'a/b', '', 'A B/c']}})
    make('resource-version', {'metadata': {'name': 'm', 'resourceVersion': '5'}})
    make('server-fields', {'metadata': {'name': 'm', 'uid': 'u', 'generation': 9, 'creationTimestamp': '2020-01-01T00:00:00Z', 'deletionTimestamp': '2020-01-01T00:00:00Z', 'deletionGracePeriodSeconds': 3, 'selfLink': '/x'}})
    make('managed-fields', {'metadata': {'name': 'm', 'managedFields': [{'manager': 'x', 'operation': 'Odd', 'apiVersion': 'v1'}]}})
    make('wrong-kind', {'kind': 'Other'})
    make('wrong-version', {'apiVersion': GROUP + '/v2'})
    make('wrong-group', {'apiVersion': 'b.example.com/v1'})
    make('no-kind', {'kind': ''})
    make('no-version', {'apiVersion': ''})
    make('empty', '')
    make('list', '[]')
    make('text', '"x"')
    make('null', 'null')
    make('content-type', '{}', 'text/plain')
    make('dry-run-wrong', {}, dryRun='Some')
    make('field-manager-long', {}, fieldManager='x' * 129)
    make('field-manager-odd', {}, fieldManager='a\tb')
    ask('make/too-large', 'POST', path, '{"apiVersion":"%s/v1","kind":"Make","metadata":{"name":"m"},"spec":{"a":"%s"}}' % (GROUP, 'x' * 3145729))


# ---------------------------------------------------------------- objects
def object_steps():
    columns = [{'name': 'Text', 'type': 'string', 'jsonPath': '.spec.color'}, {'name': 'Number', 'type': 'integer', 'jsonPath': '.spec.replicas', 'priority': 1}, {'name': 'Float', 'type': 'number', 'format': 'double', 'jsonPath': '.spec.weight'},
               {'name': 'Flag', 'type': 'boolean', 'jsonPath': '.spec.big', 'description': 'whether it is big'}, {'name': 'When', 'type': 'date', 'jsonPath': '.spec.when'}, {'name': 'Ready', 'type': 'string', 'jsonPath': '.status.conditions[?(@.type=="Ready")].status'},
               {'name': 'First', 'type': 'string', 'jsonPath': '.spec.list[0]'}, {'name': 'All', 'type': 'string', 'jsonPath': '.spec.list[*]'}, {'name': 'Map', 'type': 'string', 'jsonPath': '.spec.map'},
               {'name': 'Note', 'type': 'string', 'jsonPath': ".metadata.annotations['a\\.b/c']"}, {'name': 'Wrong', 'type': 'integer', 'jsonPath': '.spec.color'}, {'name': 'NumberAsText', 'type': 'string', 'jsonPath': '.spec.replicas'},
               {'name': 'FlagAsText', 'type': 'string', 'jsonPath': '.spec.big'}, {'name': 'FloatAsInteger', 'type': 'integer', 'jsonPath': '.spec.weight'}, {'name': 'Age', 'type': 'date', 'jsonPath': '.metadata.creationTimestamp'}]
    schema = fields(
        spec=fields(color={**STRING, 'maxLength': 10}, replicas=INTEGER, weight={'type': 'number'}, big={'type': 'boolean'}, when={**STRING, 'format': 'date-time'}, list={'type': 'array', 'items': STRING}, map={'type': 'object', 'additionalProperties': STRING}),
        status=fields(replicas=INTEGER, selector=STRING, phase=STRING, conditions={'type': 'array', 'items': {**fields(type=STRING, status=STRING), 'required': ['type']}, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type']}))
    install(definition('boats', 'Boat', names={'shortNames': ['bt'], 'categories': ['all']}, versions=[version(schema=schema, additionalPrinterColumns=columns, subresources={'status': {}, 'scale': {'specReplicasPath': '.spec.replicas', 'statusReplicasPath': '.status.replicas', 'labelSelectorPath': '.status.selector'}},
            selectableFields=[{'jsonPath': '.spec.color'}, {'jsonPath': '.spec.replicas'}, {'jsonPath': '.spec.big'}])]))
    boats = '/apis/%s/v1/namespaces/default/boats' % GROUP
    everywhere = '/apis/%s/v1/boats' % GROUP

    def boat(name, spec=None, metadata=None, **more):
        return {'apiVersion': GROUP + '/v1', 'kind': 'Boat', 'metadata': {'name': name, **(metadata or {})}, **({} if spec is None else {'spec': spec}), **more}

    full = {'color': 'red', 'replicas': 2, 'weight': 1.75, 'big': True, 'when': '2020-01-01T00:00:00Z', 'list': ['x', 'y'], 'map': {'k': 'v', 'a': 'b'}}
    ask('boat/create', 'POST', boats, boat('a', full, {'labels': {'l': '1'}, 'annotations': {'a.b/c': 'note'}}, status={'replicas': 9}), mf=True)
    ask('boat/exists', 'POST', boats, boat('a'))
    ask('boat/create-more', 'POST', boats, boat('b', {'color': 'blue', 'replicas': 1}))
    ask('boat/create-empty', 'POST', boats, boat('c'))
    ask('boat/other-namespace', 'POST', boats, boat('d', None, {'namespace': 'kube-system'}))
    ask('boat/no-namespace', 'POST', everywhere, boat('d'))
    ask('boat/missing-namespace', 'POST', '/apis/%s/v1/namespaces/nowhere/boats' % GROUP, boat('d'))
    ask('boat/generate', 'POST', boats, boat('', {}, {'generateName': 'gen-'}), re=[(r'gen-\w{5}', 'gen-<random>')], save={'gen': 'metadata.name'})
    ask('boat/generate-delete', 'DELETE', boats + '/${gen}', body_is='ignore')
    ask('boat/get', 'GET', boats + '/a', mf=True)
    ask('boat/get-missing', 'GET', boats + '/z')
    ask('boat/get-cluster', 'GET', everywhere + '/a')
    ask('boat/get-protobuf', 'GET', boats + '/a', accept='application/vnd.kubernetes.protobuf')
    ask('boat/get-protobuf-or-json', 'GET', boats + '/a', accept='application/vnd.kubernetes.protobuf,application/json')
    ask('boat/get-yaml', 'GET', boats + '/c', accept='application/yaml', re=[(r'uid: .*', 'uid: <uid>'), (r'resourceVersion: .*', 'resourceVersion: <rv>'), (r'time: .*', 'time: <time>')])
    ask('boat/get-text', 'GET', boats + '/a', accept='text/plain')
    ask('boat/get-meta', 'GET', boats + '/a', accept=META)
    ask('boat/list', 'GET', boats)
    ask('boat/list-all', 'GET', everywhere, pick=['kind', 'apiVersion', 'items[*].metadata.name'])
    ask('boat/list-meta', 'GET', boats, accept=METALIST)
    ask('boat/table', 'GET', boats, accept=TABLE, re=AGES)
    ask('boat/table-object', 'GET', query(boats, includeObject='Object'), accept=TABLE, pick=['rows[*].object.kind', 'rows[*].object.spec', 'rows[*].object.metadata.name'])
    ask('boat/table-none', 'GET', query(boats, includeObject='None'), accept=TABLE, pick=['rows[*].object', 'metadata'])
    ask('boat/table-odd', 'GET', query(boats, includeObject='Odd'), accept=TABLE)
    ask('boat/table-one', 'GET', boats + '/b', accept=TABLE, re=AGES)
    ask('boat/table-v1beta1', 'GET', boats + '/b', accept='application/json;as=Table;v=v1beta1;g=meta.k8s.io', pick=['kind', 'apiVersion', 'columnDefinitions[*].name'])
    ask('boat/table-v9', 'GET', boats + '/b', accept='application/json;as=Table;v=v9;g=meta.k8s.io')
    names = ['items[*].metadata.name']
    for name, selector in (('color', 'spec.color=red'), ('not-color', 'spec.color!=red'), ('empty-color', 'spec.color='), ('integer', 'spec.replicas=2'), ('boolean', 'spec.big=true'), ('boolean-unset', 'spec.big='), ('both', 'spec.color=blue,spec.replicas=1'),
                           ('name', 'metadata.name=a'), ('namespace', 'metadata.namespace=default'), ('unknown', 'spec.weight=1'), ('status', 'status.phase=x'), ('malformed', 'spec.color'), ('dotted', '.spec.color=red')):
        ask('select/' + name, 'GET', query(boats, fieldSelector=selector), pick=names + ['message', 'code', 'reason'])
    for name, selector in (('equal', 'l=1'), ('in', 'l in (1,2)'), ('not', '!l'), ('malformed', 'l in ('), ('bad-value', 'l=a b')):
        ask('select/label-' + name, 'GET', query(boats, labelSelector=selector), pick=names + ['message', 'code', 'reason'])
    ask('page/first', 'GET', query(boats, limit=2), pick=names + ['metadata.remainingItemCount'], save={'next': 'metadata.continue'})
    ask('page/second', 'GET', boats + '?limit=2&continue=${next}', pick=names + ['metadata'])
    ask('page/negative', 'GET', query(boats, limit=-1))
    ask('page/odd', 'GET', query(boats, limit='x'))
    ask('page/bad-continue', 'GET', query(boats, limit=1, **{'continue': 'x'}))
    ask('page/version-match', 'GET', query(boats, resourceVersionMatch='Exact'))
    ask('page/version-odd', 'GET', query(boats, resourceVersion='x'))

    # changes
    ask('update/labels', 'PATCH', boats + '/a', {'metadata': {'labels': {'l': '2'}}}, ctype=MERGE, pick=['metadata.generation', 'metadata.labels'])
    ask('update/spec', 'PATCH', boats + '/a', {'spec': {'replicas': 3}}, ctype=MERGE, pick=['metadata.generation', 'spec.replicas'])
    ask('update/same', 'PATCH', boats + '/a', {'spec': {'replicas': 3}}, ctype=MERGE, pick=['metadata.generation'])
    ask('update/status-by-main', 'PATCH', boats + '/a', {'status': {'phase': 'x'}}, ctype=MERGE, pick=['metadata.generation', 'status'])
    ask('update/status', 'PATCH', boats + '/a/status', {'status': {'phase': 'x', 'replicas': 1, 'selector': 'a=b', 'conditions': [{'type': 'Ready', 'status': 'True'}]}, 'spec': {'replicas': 99}, 'metadata': {'labels': {'s': '1'}, 'annotations': {'s': '1'}, 'finalizers': ['a/b']}}, ctype=MERGE, mf=True)
    ask('update/status-invalid', 'PATCH', boats + '/a/status', {'status': {'phase': 1}}, ctype=MERGE)
    ask('update/status-unknown', 'PATCH', query(boats + '/a/status', fieldValidation='Strict'), {'status': {'odd': 1}}, ctype=MERGE)
    ask('update/status-twice', 'PATCH', boats + '/a/status', {'status': {'conditions': [{'type': 'A'}, {'type': 'A'}]}}, ctype=MERGE)
    ask('update/status-get', 'GET', boats + '/a/status', pick=['status', 'metadata.generation'])
    ask('update/status-put', 'PUT', boats + '/b/status', boat('b', {'color': 'gone'}, {'labels': {'x': 'y'}}, status={'phase': 'put'}))
    ask('update/status-put-same', 'GET', boats + '/b', save={'rv': 'metadata.resourceVersion'})
    ask('update/status-put-version', 'PUT', boats + '/b/status', {**boat('b', {'color': 'gone'}, status={'phase': 'put'}), 'metadata': {'name': 'b', 'resourceVersion': '${rv}', 'labels': {'x': 'y'}}})
    ask('update/status-post', 'POST', boats + '/a/status', {})
    ask('update/status-delete', 'DELETE', boats + '/a/status')
    ask('update/status-missing', 'PATCH', boats + '/z/status', {'status': {}}, ctype=MERGE)
    ask('update/other-subresource', 'GET', boats + '/a/other')
    ask('update/put-no-version', 'PUT', boats + '/b', boat('b', {'color': 'x'}))
    ask('update/put-old-version', 'PUT', boats + '/b', boat('b', {'color': 'x'}, {'resourceVersion': '1'}))
    ask('update/put-bad-version', 'PUT', boats + '/b', boat('b', {'color': 'x'}, {'resourceVersion': 'x'}))
    ask('update/put-get', 'GET', boats + '/b', save={'rv': 'metadata.resourceVersion', 'uid': 'metadata.uid'}, body_is='ignore')
    ask('update/put', 'PUT', boats + '/b', json.dumps(boat('b', {'color': 'green', 'odd': 1}, {'resourceVersion': '${rv}'})))
    ask('update/put-again', 'PUT', boats + '/b', json.dumps(boat('b', {'color': 'white'}, {'resourceVersion': '${rv}'})))
    ask('update/put-other-name', 'PUT', boats + '/b', boat('q', {}))
    ask('update/put-no-name', 'PUT', boats + '/b', {'apiVersion': GROUP + '/v1', 'kind': 'Boat', 'metadata': {}})
    ask('update/put-other-uid', 'PUT', boats + '/b', boat('b', {}, {'uid': 'other', 'resourceVersion': '1'}))
    ask('update/put-other-uid-patch', 'PATCH', boats + '/b', {'metadata': {'uid': 'other'}}, ctype=MERGE)
    ask('update/put-missing', 'PUT', boats + '/z', boat('z', {}))
    ask('update/put-missing-version', 'PUT', boats + '/z', boat('z', {}, {'resourceVersion': '5'}))
    ask('update/put-kind', 'PUT', boats + '/b', {**boat('b', {}), 'kind': 'Ship'})
    ask('update/post-named', 'POST', boats + '/b', boat('b', {}))
    ask('update/put-collection', 'PUT', boats, boat('b', {}))
    ask('update/options', 'OPTIONS', boats)
    for name, patch in (('invalid', {'spec': {'color': 'much too long'}}), ('null', {'spec': None}), ('not-object', {'spec': 'x'}), ('unknown', {'spec': {'odd': 1}}), ('kind', {'kind': 'Ship'}), ('version', {'apiVersion': GROUP + '/v7'}), ('name', {'metadata': {'name': 'other'}}),
                        ('namespace', {'metadata': {'namespace': 'other'}}), ('generation', {'metadata': {'generation': 77}}), ('creation', {'metadata': {'creationTimestamp': '2020-01-01T00:00:00Z'}}), ('deletion', {'metadata': {'deletionTimestamp': '2020-01-01T00:00:00Z'}}), ('metadata-null', {'metadata': None}),
                        ('old-version', {'metadata': {'resourceVersion': '1'}}), ('no-version', {'metadata': {'resourceVersion': None}}), ('empty', {}), ('managed', {'metadata': {'managedFields': []}})):
        for how in ('Strict', 'Warn') if name == 'unknown' else ('',):
            ask('merge/%s%s' % (name, how), 'PATCH', query(boats + '/b', dryRun='All', **({'fieldValidation': how} if how else {})), patch, ctype=MERGE)
    ask('merge/text', 'PATCH', boats + '/b', 'x', ctype=MERGE)
    ask('merge/list', 'PATCH', boats + '/b', '[]', ctype=MERGE)
    ask('merge/missing', 'PATCH', boats + '/z', {}, ctype=MERGE)
    ask('merge/duplicate-fields', 'PATCH', query(boats + '/b', fieldValidation='Strict', dryRun='All'), '{"spec":{"color":"a","color":"b"}}', ctype=MERGE)
    ask('merge/strategic', 'PATCH', boats + '/b', {}, ctype='application/strategic-merge-patch+json')
    ask('merge/plain-json', 'PATCH', boats + '/b', {}, ctype='application/json')
    for name, patch in (('test', [{'op': 'test', 'path': '/spec/color', 'value': 'green'}, {'op': 'replace', 'path': '/spec/color', 'value': 'grey'}]), ('test-fails', [{'op': 'test', 'path': '/spec/color', 'value': 'no'}]),
                        ('add', [{'op': 'add', 'path': '/spec/list', 'value': ['a']}, {'op': 'add', 'path': '/spec/list/-', 'value': 'b'}, {'op': 'add', 'path': '/spec/list/0', 'value': 'c'}]), ('remove', [{'op': 'remove', 'path': '/spec/color'}]),
                        ('remove-missing', [{'op': 'remove', 'path': '/spec/none'}]), ('add-nowhere', [{'op': 'add', 'path': '/spec/none/deep', 'value': 1}]), ('replace-missing', [{'op': 'replace', 'path': '/spec/none', 'value': 1}]),
                        ('copy', [{'op': 'copy', 'from': '/spec/color', 'path': '/metadata/annotations'}]), ('move', [{'op': 'add', 'path': '/spec/map', 'value': {}}, {'op': 'move', 'from': '/spec/color', 'path': '/spec/map/c~1d'}]), ('odd', [{'op': 'odd', 'path': '/spec'}]),
                        ('index', [{'op': 'add', 'path': '/spec/list/5', 'value': 1}]), ('not-list', {'op': 'add'}), ('unknown', [{'op': 'add', 'path': '/spec/odd', 'value': 1}]), ('invalid', [{'op': 'add', 'path': '/spec/color', 'value': 5}]), ('many', [{'op': 'test', 'path': '/kind', 'value': 'Boat'}] * 10001)):
        ask('json-patch/' + name, 'PATCH', query(boats + '/b', dryRun='All'), patch, ctype=JSONPATCH)

    # scale
    ask('scale/get', 'GET', boats + '/a/scale')
    ask('scale/get-unset', 'GET', boats + '/c/scale')
    ask('scale/patch', 'PATCH', boats + '/a/scale', {'spec': {'replicas': 5}}, ctype=MERGE)
    ask('scale/generation', 'GET', boats + '/a', mf=True)
    ask('scale/set-unset', 'PATCH', boats + '/c/scale', {'spec': {'replicas': 1}}, ctype=MERGE)
    ask('scale/negative', 'PATCH', boats + '/a/scale', {'spec': {'replicas': -1}}, ctype=MERGE)
    ask('scale/text', 'PATCH', boats + '/a/scale', {'spec': {'replicas': 'x'}}, ctype=MERGE)
    ask('scale/large', 'PATCH', boats + '/a/scale', {'spec': {'replicas': 3000000000}}, ctype=MERGE)
    ask('scale/main-large', 'PATCH', boats + '/a', {'spec': {'replicas': 3000000000}}, ctype=MERGE)
    ask('scale/main-negative', 'PATCH', boats + '/a', {'spec': {'replicas': -3}}, ctype=MERGE)
    ask('scale/status-negative', 'PATCH', boats + '/a/status', {'status': {'replicas': -3}}, ctype=MERGE)
    ask('scale/put', 'PUT', boats + '/a/scale', {'apiVersion': 'autoscaling/v1', 'kind': 'Scale', 'metadata': {'name': 'a', 'namespace': 'default'}, 'spec': {'replicas': 6}, 'status': {'replicas': 77}})
    ask('scale/put-other', 'PUT', boats + '/a/scale', {'apiVersion': 'autoscaling/v1', 'kind': 'Scale', 'metadata': {'name': 'b', 'namespace': 'default'}, 'spec': {'replicas': 6}})
    ask('scale/put-old', 'PUT', boats + '/a/scale', {'apiVersion': 'autoscaling/v1', 'kind': 'Scale', 'metadata': {'name': 'a', 'namespace': 'default', 'resourceVersion': '1'}, 'spec': {'replicas': 6}})
    ask('scale/put-kind', 'PUT', boats + '/a/scale', boat('a', {'replicas': 1}))
    ask('scale/put-empty', 'PUT', boats + '/a/scale', {'metadata': {'name': 'a', 'namespace': 'default'}})
    ask('scale/put-empty-get', 'GET', boats + '/a', pick=['spec.replicas', 'metadata.generation'])
    ask('scale/apply', 'PATCH', query(boats + '/a/scale', fieldManager='scaler', force='true'), {'apiVersion': 'autoscaling/v1', 'kind': 'Scale', 'metadata': {'name': 'a', 'namespace': 'default'}, 'spec': {'replicas': 4}}, ctype=APPLY)
    ask('scale/applied', 'GET', boats + '/a', mf=True)
    ask('scale/missing', 'GET', boats + '/z/scale')
    ask('scale/create', 'POST', boats + '/a/scale', {})
    ask('scale/unknown', 'PATCH', query(boats + '/a/scale', fieldValidation='Strict'), {'spec': {'replicas': 5, 'odd': 1}}, ctype=MERGE)
    ask('scale/table', 'GET', boats + '/a/scale', accept=TABLE, re=AGES)

    # deletion
    ask('delete/dry', 'DELETE', query(boats + '/b', dryRun='All'))
    ask('delete/finalizer', 'PATCH', boats + '/b', {'metadata': {'finalizers': ['a.example.com/f']}}, ctype=MERGE, pick=['metadata.finalizers', 'metadata.generation'])
    ask('delete/wrong-uid', 'DELETE', boats + '/b', {'preconditions': {'uid': 'other'}}, re=[(r'UID in object meta: \S+', 'UID in object meta: <uid>')])
    ask('delete/wrong-version', 'DELETE', boats + '/b', {'preconditions': {'resourceVersion': '1'}}, re=[(r'in record \(\d+\)', 'in record (<rv>)')])
    ask('delete/options-odd', 'DELETE', boats + '/b', {'propagationPolicy': 'Odd'})
    ask('delete/options-both', 'DELETE', boats + '/b', {'propagationPolicy': 'Background', 'orphanDependents': True})
    ask('delete/marked', 'DELETE', boats + '/b')
    ask('delete/marked-again', 'DELETE', boats + '/b')
    ask('delete/marked-create', 'POST', boats, boat('b'))
    ask('delete/marked-add-finalizer', 'PATCH', boats + '/b', {'metadata': {'finalizers': ['a.example.com/f', 'a.example.com/g']}}, ctype=MERGE)
    ask('delete/marked-change', 'PATCH', boats + '/b', {'spec': {'color': 'last'}}, ctype=MERGE)
    ask('delete/finish', 'PATCH', boats + '/b', {'metadata': {'finalizers': []}}, ctype=MERGE)
    ask('delete/finished', 'GET', boats + '/b')
    ask('delete/foreground', 'DELETE', query(boats + '/c', propagationPolicy='Foreground'))
    ask('delete/foreground-finish', 'PATCH', boats + '/c', {'metadata': {'finalizers': None}}, ctype=MERGE, body_is='ignore')
    ask('delete/missing', 'DELETE', boats + '/c')
    ask('delete/now', 'POST', boats, boat('e', {'color': 'x'}), body_is='ignore')
    ask('delete/at-once', 'DELETE', query(boats + '/e', gracePeriodSeconds=5))
    for name, color in (('f', 'x'), ('g', 'x'), ('h', 'y')):
        ask('delete/many-' + name, 'POST', boats, boat(name, {'color': color}, {'labels': {'many': 'yes'}}), body_is='ignore')
    ask('delete/collection-field', 'DELETE', query(boats, fieldSelector='spec.color=x'), pick=['kind', 'apiVersion', 'items[*].metadata.name'])
    ask('delete/collection-label', 'DELETE', query(boats, labelSelector='many=yes'), pick=['kind', 'items[*].metadata.name'])
    ask('delete/collection-dry', 'DELETE', query(boats, dryRun='All'), pick=['kind', 'items[*].metadata.name'])
    ask('delete/left', 'GET', boats, pick=names)

    # watches
    def act(method, path, body=None, **more):
        return h('', method, path, body, **more)
    life = [act('POST', boats, boat('w', {'color': 'red'})), act('PATCH', boats + '/w', {'spec': {'color': 'blue'}}, ctype=MERGE), act('PATCH', boats + '/w/status', {'status': {'phase': 'x'}}, ctype=MERGE),
            act('PATCH', boats + '/w', {'spec': {'color': 'red'}}, ctype=MERGE), act('PATCH', boats + '/w', {'spec': {'color': 'red'}}, ctype=MERGE), act('DELETE', boats + '/w')]
    since = {'rv': lambda r: r.get(boats, 'metadata.resourceVersion')}
    def watch(name, n, accept='application/json', show=(), **parameters):
        STEPS.append(w('watch/' + name, boats + '?watch=true&resourceVersion=${rv}&' + urllib.parse.urlencode(parameters), life, n, set=since, accept=accept, ev=lambda e: {'type': e['type'], 'object': shown(e['object'])}))
    def shown(o):
        if o.get('kind') == 'Table':
            return {'columns': len(o.get('columnDefinitions') or []), 'cells': [row['cells'][:3] for row in o['rows']]}
        return {k: o.get(k) for k in ('kind', 'apiVersion', 'spec', 'status', 'code', 'reason', 'message')} | {'generation': pick(o, 'metadata.generation'), 'name': pick(o, 'metadata.name')}
    watch('all', 5)
    watch('selected', 4, fieldSelector='spec.color=red')
    watch('named', 5, fieldSelector='metadata.name=w')
    watch('table', 5, TABLE)
    watch('meta', 5, META)
    STEPS.append(w('watch/initial', query(boats, watch='true', sendInitialEvents='true', resourceVersionMatch='NotOlderThan', allowWatchBookmarks='true'), [], 2, ev=lambda e: {'type': e['type'], 'kind': e['object']['kind'], 'name': pick(e, 'object.metadata.name'), 'annotations': pick(e, 'object.metadata.annotations')}))
    ask('watch/initial-without-match', 'GET', query(boats, watch='true', sendInitialEvents='true'))
    ask('watch/unknown-field', 'GET', query(boats, watch='true', fieldSelector='spec.weight=1'))
    ask('watch/odd-version', 'GET', query(boats, watch='true', resourceVersion='x'))


# ---------------------------------------------------------------- several versions
def version_steps():
    old = fields(spec=fields(a=STRING, old=STRING, both={**STRING, 'default': 'of-v1'}))
    new = fields(spec=fields(a={**STRING, 'maxLength': 5}, new=STRING, both={**STRING, 'default': 'of-v2'}), status=OBJECT)
    install(definition('cars', 'Car', versions=[version('v1', old), version('v2', new, False, subresources={'status': {}}, additionalPrinterColumns=[{'name': 'New', 'type': 'string', 'jsonPath': '.spec.new'}]),
                                                version('v1beta1', old, False, deprecated=True), version('v1alpha1', old, False, deprecated=True, deprecationWarning='Cars of v1alpha1 rust')]))
    at = lambda name: '/apis/%s/%s/namespaces/default/cars' % (GROUP, name)
    car = lambda v, name, spec: {'apiVersion': '%s/%s' % (GROUP, v), 'kind': 'Car', 'metadata': {'name': name}, 'spec': spec}
    ask('version/create-v1', 'POST', at('v1'), car('v1', 'a', {'a': 'x', 'old': 'o', 'new': 'n'}), mf=True)
    ask('version/get-v2', 'GET', at('v2') + '/a', mf=True)
    ask('version/create-v2', 'POST', at('v2'), car('v2', 'b', {'a': 'x', 'old': 'o', 'new': 'n'}), mf=True)
    ask('version/get-v1', 'GET', at('v1') + '/b', mf=True)
    ask('version/long-in-v1', 'PATCH', at('v1') + '/a', {'spec': {'a': 'long enough'}}, ctype=MERGE)
    ask('version/change-in-v2', 'PATCH', at('v2') + '/a', {'spec': {'new': 'n'}}, ctype=MERGE)
    ask('version/change-a-in-v2', 'PATCH', at('v2') + '/a', {'spec': {'a': 'also too long'}}, ctype=MERGE)
    ask('version/status-v2', 'PATCH', at('v2') + '/a/status', {'status': {'x': 1}}, ctype=MERGE)
    ask('version/status-v1', 'GET', at('v1') + '/a/status')
    ask('version/deprecated', 'GET', at('v1beta1') + '/a', pick=['apiVersion'])
    ask('version/deprecated-list', 'GET', at('v1beta1'), pick=['apiVersion', 'items[*].apiVersion'])
    ask('version/deprecated-text', 'GET', at('v1alpha1'), pick=['apiVersion', 'items[*].apiVersion'])
    ask('version/deprecated-create', 'POST', at('v1alpha1') + '?dryRun=All', car('v1alpha1', 'c', {'odd': 1}))
    ask('version/body-differs', 'POST', at('v1'), car('v2', 'c', {}))
    ask('version/table-v1', 'GET', at('v1'), accept=TABLE, re=AGES)
    ask('version/table-v2', 'GET', at('v2'), accept=TABLE, re=AGES)
    ask('version/aggregated', 'GET', '/apis', accept=DISCOVERY, proj=aggregated, until=lambda code, o: 'cars' in json.dumps(aggregated(o)) and 'cats' not in json.dumps(aggregated(o)), settles=0.3)
    ask('version/resources', 'GET', '/apis/%s/v2' % GROUP)
    ask('version/group', 'GET', '/apis/' + GROUP)
    ask('version/apply-v1', 'PATCH', query(at('v1') + '/p', fieldManager='m'), car('v1', 'p', {'a': 'x', 'old': 'o'}), ctype=APPLY, mf=True)
    ask('version/apply-v2', 'PATCH', query(at('v2') + '/p', fieldManager='n'), car('v2', 'p', {'new': 'n'}), ctype=APPLY, mf=True)
    ask('version/apply-v2-conflict', 'PATCH', query(at('v2') + '/p', fieldManager='n'), car('v2', 'p', {'a': 'other'}), ctype=APPLY)
    ask('version/apply-v2-same-manager', 'PATCH', query(at('v2') + '/p', fieldManager='m'), car('v2', 'p', {'a': 'y'}), ctype=APPLY, mf=True)


# ---------------------------------------------------------------- server-side apply
def apply_steps():
    listed = {**fields(name=STRING, port=INTEGER, protocol={**STRING, 'default': 'TCP'}), 'required': ['name']}
    schema = spec_of(a=STRING, n=INTEGER, obj=fields(x=STRING, y=STRING), atom={**fields(x=STRING, y=STRING), 'x-kubernetes-map-type': 'atomic'}, labels={'type': 'object', 'additionalProperties': STRING},
                     set={'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'set'}, map={'type': 'array', 'items': listed, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name', 'protocol']},
                     atomic={'type': 'array', 'items': STRING, 'x-kubernetes-list-type': 'atomic'}, plain={'type': 'array', 'items': fields(k=STRING)}, any=ANY, d={**STRING, 'default': 'def'})
    install(definition('maps', 'Map', versions=[version(schema=schema, subresources={'status': {}})]))
    path = '/apis/%s/v1/namespaces/default/maps' % GROUP
    body = lambda spec, **more: {'apiVersion': GROUP + '/v1', 'kind': 'Map', 'metadata': {'name': 'm', **more}, 'spec': spec}
    def apply(name, manager, spec, code='', **more):
        parameters = {k: more.pop(k) for k in ('force', 'dryRun', 'fieldValidation') if k in more}
        ask('apply/' + name, 'PATCH', query(path + '/m', **({'fieldManager': manager} if manager else {}), **parameters), spec if isinstance(spec, str) else body(spec, **more), ctype=APPLY, mf=True)
    apply('create', 'one', {'a': 'x', 'n': 1, 'obj': {'x': '1'}, 'atom': {'x': '1'}, 'labels': {'k': 'v'}, 'set': ['a', 'b'], 'map': [{'name': 'p', 'port': 1}], 'atomic': ['a'], 'plain': [{'k': 'v'}], 'any': {'deep': {'er': [1]}}}, labels={'l': '1'})
    apply('same', 'one', {'a': 'x', 'n': 1, 'obj': {'x': '1'}, 'atom': {'x': '1'}, 'labels': {'k': 'v'}, 'set': ['a', 'b'], 'map': [{'name': 'p', 'port': 1}], 'atomic': ['a'], 'plain': [{'k': 'v'}], 'any': {'deep': {'er': [1]}}}, labels={'l': '1'})
    apply('second', 'two', {'a': 'x', 'obj': {'y': '2'}, 'labels': {'j': 'w'}, 'set': ['c', 'a'], 'map': [{'name': 'q', 'port': 2}, {'name': 'p', 'protocol': 'UDP'}]})
    apply('conflict', 'two', {'a': 'y', 'n': 2, 'obj': {'x': '9'}})
    apply('conflict-list', 'two', {'map': [{'name': 'p', 'port': 9}], 'atomic': ['z'], 'plain': [], 'atom': {'y': '2'}})
    apply('conflict-any', 'two', {'any': {'deep': {'er': [2]}}})
    apply('conflict-many', 'three', {'a': 'z', 'obj': {'x': 'z', 'y': 'z'}})
    apply('forced', 'two', {'a': 'y', 'obj': {'y': '2'}, 'set': ['c'], 'map': [{'name': 'q', 'port': 2}]}, force='true')
    apply('dropped', 'one', {'n': 1, 'set': ['b']})
    apply('dropped-more', 'two', {'a': 'y'})
    apply('order', 'two', {'a': 'y', 'map': [{'name': 'z'}, {'name': 'b'}, {'name': 'a'}], 'set': ['z', 'm', 'b']})
    apply('twice-in-set', 'two', {'set': ['z', 'z']})
    apply('twice-in-map', 'two', {'map': [{'name': 'z'}, {'name': 'z', 'port': 1}]})
    apply('no-key', 'two', {'map': [{'port': 1}]})
    apply('invalid', 'two', {'n': 'text'})
    apply('invalid-shape', 'two', {'obj': 'text', 'set': 'x'})
    apply('null', 'two', {'a': None, 'set': None, 'any': None}, dryRun='All')
    apply('null-item', 'two', {'set': [None]}, dryRun='All')
    for how in ('Strict', 'Warn', 'Ignore'):
        apply('unknown-' + how, 'two', {'odd': 1, 'obj': {'odd': 2}}, fieldValidation=how, dryRun='All')
    apply('no-manager', '', {'a': 'y'})
    apply('force-odd', 'two', {'a': 'y'}, force='x')
    apply('dry', 'four', {'d': 'mine'}, dryRun='All')
    apply('yaml', 'yaml', 'apiVersion: %s/v1\nkind: Map\nmetadata:\n  name: m\nspec:\n  labels: {y: "1"}\n' % GROUP)
    apply('yaml-twice', 'yaml', 'apiVersion: %s/v1\nkind: Map\nmetadata:\n  name: m\nspec:\n  a: x\n  a: y\n' % GROUP, fieldValidation='Strict')
    apply('malformed', 'yaml', 'a: [')
    apply('text', 'yaml', '"x"')
    apply('empty', 'yaml', '')
    apply('other-name', 'one', '{"apiVersion":"%s/v1","kind":"Map","metadata":{"name":"other"}}' % GROUP)
    apply('no-name', 'named', '{"apiVersion":"%s/v1","kind":"Map"}' % GROUP, dryRun='All')
    apply('no-kind', 'one', '{"metadata":{"name":"m"}}')
    apply('other-kind', 'one', '{"apiVersion":"%s/v1","kind":"Boat","metadata":{"name":"m"}}' % GROUP)
    apply('other-version', 'one', '{"apiVersion":"%s/v3","kind":"Map","metadata":{"name":"m"}}' % GROUP)
    apply('managed-fields', 'one', {'a': 'x'}, managedFields=[{'manager': 'x', 'operation': 'Apply', 'apiVersion': GROUP + '/v1', 'fieldsType': 'FieldsV1', 'fieldsV1': {}}])
    apply('old-version', 'one', {'n': 1}, resourceVersion='1')
    apply('uid', 'one', {'n': 1}, uid='other')
    ask('apply/update', 'PATCH', query(path + '/m', fieldManager='editor'), {'spec': {'a': 'edited', 'labels': {'k2': 'v2'}, 'set': ['b', 'e']}}, ctype=MERGE, mf=True)
    apply('after-update', 'two', {'a': 'y'})
    ask('apply/json-patch', 'PATCH', query(path + '/m', fieldManager='patcher'), [{'op': 'remove', 'path': '/spec/n'}, {'op': 'add', 'path': '/spec/map', 'value': [{'name': 'new'}]}], ctype=JSONPATCH, mf=True)
    ask('apply/agent', 'PATCH', path + '/m', {'spec': {'d': 'agent'}}, ctype=MERGE, mf=True)
    ask('apply/agent-name', 'PATCH', path + '/m', {'spec': {'d': 'agent2'}}, ctype=MERGE, mf=True, headers={'User-Agent': 'tool/v1.2 (linux) x'})
    ask('apply/status', 'PATCH', query(path + '/m/status', fieldManager='stat'), {'apiVersion': GROUP + '/v1', 'kind': 'Map', 'metadata': {'name': 'm'}, 'status': {'x': 1}}, ctype=APPLY, mf=True)
    ask('apply/clear-managed', 'PATCH', path + '/m', {'metadata': {'managedFields': [{}]}}, ctype=MERGE, mf=True)
    apply('after-clear', 'one', {'a': 'z'}, force='true')
    ask('apply/collection', 'PATCH', query(path, fieldManager='one'), body({}), ctype=APPLY)
    ask('apply/status-missing', 'PATCH', query(path + '/none/status', fieldManager='stat'), {'apiVersion': GROUP + '/v1', 'kind': 'Map', 'metadata': {'name': 'none'}, 'status': {}}, ctype=APPLY)
    ask('apply/definition', 'PATCH', query(DEFINITIONS + '/applied.' + GROUP, fieldManager='one'), definition('applied', 'Applied'), ctype=APPLY, mf=True)


definition_steps()
schema_steps()
life_steps()
value_steps()
default_steps()
object_steps()
version_steps()
apply_steps()
