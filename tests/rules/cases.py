# SPDX-License-Identifier: Apache-2.0
"""The cases of record.py: definitions with rules, and objects of them.

A case is (note, schema, objects). The schema is that of the whole resource; spec() makes one of a schema of .spec and its
rules. An object is a list of what its .spec is at first and what it is changed to, or whole objects, marked by ROOT."""

ROOT = 'root'
STATUS = 'status'


def spec(schema, *rules, **root):
    schema = dict(schema)
    if rules:
        schema['x-kubernetes-validations'] = [r if isinstance(r, dict) else {'rule': r} for r in rules]
    return dict({'type': 'object', 'properties': {'spec': schema}}, **root)


def obj(**properties):
    return {'type': 'object', 'properties': properties}


def arr(items, **more):
    return dict({'type': 'array', 'items': items}, **more)


def mapping(values, **more):
    return dict({'type': 'object', 'additionalProperties': values}, **more)


def text(**more):
    return dict({'type': 'string', 'maxLength': 40}, **more)


INT = {'type': 'integer'}
NUM = {'type': 'number'}
BOOL = {'type': 'boolean'}
KEYED = arr(obj(**{'k': text(), 'v-1': INT, 'n': dict(INT, nullable=True)}) | {'required': ['k']}, maxItems=10,
            **{'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']})

# A bit of everything, bounded, so that costs stay in their limits.
RICH = obj(
    i=INT, f=NUM, b=BOOL, s=text(), e={'type': 'string', 'enum': ['red', 'green']},
    ns={'type': 'string', 'nullable': True, 'maxLength': 9},
    bytes={'type': 'string', 'format': 'byte', 'maxLength': 40}, dur={'type': 'string', 'format': 'duration'},
    date={'type': 'string', 'format': 'date'}, time={'type': 'string', 'format': 'date-time'},
    ios={'x-kubernetes-int-or-string': True, 'maxLength': 10},
    l=arr(INT, maxItems=10), ls=arr(text(), maxItems=10),
    set=arr(text(), maxItems=10, **{'x-kubernetes-list-type': 'set'}), keyed=KEYED,
    ll=arr(arr(INT, maxItems=5), maxItems=5),
    m=mapping(INT, maxProperties=10), ms=mapping(text(), maxProperties=10), mn=mapping(dict(INT, nullable=True), maxProperties=9),
    mo=mapping(obj(x=INT, y=text()), maxProperties=5),
    o=obj(**{'a-b': INT, 'c.d': text(), 'e/f': BOOL, 'g__h': INT, 'namespace': text(), 'if': INT, 'x': INT, '9z': INT, 'u v': INT}),
    any={'type': 'object', 'x-kubernetes-preserve-unknown-fields': True},
    free={'x-kubernetes-preserve-unknown-fields': True},
    emb={'type': 'object', 'x-kubernetes-embedded-resource': True, 'x-kubernetes-preserve-unknown-fields': True},
    empty={'type': 'object'})

FULL = {'i': 3, 'f': 1.5, 'b': True, 's': 'hello', 'e': 'red', 'ns': None, 'bytes': 'aGk=', 'dur': '90s', 'date': '2024-02-29',
        'time': '2024-02-29T10:00:00Z', 'ios': '50%', 'l': [3, 1, 2], 'ls': ['x', 'y'], 'set': ['p', 'q'],
        'keyed': [{'k': 'a', 'v-1': 1}, {'k': 'b', 'v-1': 2, 'n': None}], 'll': [[1, 2], [3]], 'm': {'one': 1, 'two': 2},
        'ms': {'a': 'A'}, 'mn': {'z': None, 'y': 1}, 'mo': {'p': {'x': 1, 'y': 'w'}},
        'o': {'a-b': 1, 'c.d': 'cd', 'e/f': True, 'g__h': 4, 'namespace': 'n1', 'if': 6, 'x': 7, '9z': 8, 'u v': 9},
        'any': {'q': [1, {'r': 2}]}, 'free': [1, 'x'], 'empty': {},
        'emb': {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'p', 'labels': {'l': 'x'}}, 'spec': {'z': 1}}}

EXPRESSIONS = """
self.i == 3
self.i > 3
self.i + 1 == 4 && self.f * 2.0 == 3.0
self.i / 0 == 1
self.i % 2 == 1 && -self.i == -3
self.f > 1
self.f == 1.5 && self.f < 2
self.b
!self.b
self.b == 'x'
self.s == 'hello' && self.s.size() == 5
self.s.startsWith('he') && self.s.endsWith('lo') && self.s.contains('ell')
self.s.matches('^h[a-z]+$')
self.s.matches('[')
self.s.upperAscii() == 'HELLO' && self.s.substring(1, 3) == 'el' && self.s.indexOf('l') == 2
self.s.replace('l', 'L') == 'heLLo' && self.s.split('l') == ['he', '', 'o']
'%s has %d'.format([self.s, self.i]) == 'hello has 3'
self.s + self.i == 'hello3'
self.s.find('l+') == 'll' && self.s.findAll('l') == ['l', 'l']
self.e == 'red' || self.e == 'blue'
has(self.ns)
has(self.i) && !has(self.ns)
self.ns == 'x'
self.missing == 1
has(self.missing)
self.bytes == b'hi' && self.bytes.size() == 2
string(self.bytes) == 'hi'
self.dur == duration('90s') && self.dur.getSeconds() == 90
self.dur > duration('1h')
self.date == timestamp('2024-02-29T00:00:00Z')
self.time.getHours() == 10 && self.time.getDayOfMonth() == 28
self.time - self.dur < self.time
self.ios == '50%'
type(self.ios) == string && self.ios.endsWith('%')
type(self.ios) == int
self.ios > 5
self.ios + 1 == 2
self.l == [3, 1, 2] && self.l.size() == 3
self.l[0] == 3 && self.l[2] == 2
self.l[7] == 1
self.l.all(x, x > 0) && self.l.exists(x, x == 2) && self.l.exists_one(x, x == 1)
self.l.map(x, x * 2) == [6, 2, 4] && self.l.filter(x, x > 1) == [3, 2]
self.l.sum() == 6 && self.l.max() == 3 && self.l.min() == 1 && !self.l.isSorted()
self.l.indexOf(1) == 1 && self.l.lastIndexOf(9) == -1
self.l.sort() == [1, 2, 3] && self.l.reverse() == [2, 1, 3] && self.l.distinct().size() == 3
self.l.slice(0, 2) == [3, 1] && self.ll.flatten() == [1, 2, 3]
self.l.sortBy(x, -x)[0] == 3
self.l.includes(3)
3 in self.l && !(4 in self.l)
self.ls.join('-') == 'x-y'
self.ls + ['z'] == ['x', 'y', 'z']
['z'] + self.ls == ['z', 'x', 'y']
self.l.all(i, v, v > i)
self.l.transformList(i, v, i + v) == [3, 2, 4]
self.m.transformMap(k, v, v * 10)['one'] == 10
self.m.all(k, v, k != '' && v < 10)
self.m.exists(k, k == 'two') && self.m['one'] == 1 && self.m.one == 1
self.m['three'] == 3
self.m.three == 3
'one' in self.m && !('three' in self.m) && self.m.size() == 2
self.m == {'two': 2, 'one': 1}
self.m.map(k, self.m[k]).sum() == 3
has(self.m.one) && !has(self.m.three)
self.?m[?'three'].orValue(5) == 5
self.?ns.hasValue()
optional.of(self.i).value() == 3 && optional.none().orValue(1) == 1
self.m.?one.optMap(x, x + 1).orValue(0) == 2
self.mn['z'] == null && self.mn['y'] == 1
self.mn.z == 1
self.mo['p'].x == 1 && self.mo.p.y == 'w'
self.mo.all(k, self.mo[k].x > 0)
self.set == ['q', 'p']
self.set + ['p', 'r'] == ['r', 'q', 'p']
self.set + ['p'] == self.set
['p', 'q'] == self.set
self.set.exists(x, x == 'p') && 'q' in self.set
sets.contains(self.set, ['p']) && sets.equivalent(self.set, ['q', 'p']) && !sets.intersects(self.set, ['z'])
self.keyed.all(x, x.k != '') && self.keyed.exists(x, x.k == 'b')
self.keyed.exists(x, x.v__dash__1 == 2)
self.keyed[0].k == 'a' && self.keyed[1].?n.hasValue() == false
self.keyed == self.keyed && self.keyed + self.keyed == self.keyed
self.keyed.map(x, x.v__dash__1).sum() == 3
self.keyed.exists(x, has(x.n))
self.o.a__dash__b == 1 && self.o.c__dot__d == 'cd' && self.o.e__slash__f && self.o.g__underscores__h == 4
self.o.__namespace__ == 'n1' && self.o.__if__ == 6
self.o['x'] == 7
self.o.9z == 8
self.o.`a-b` == 1
self.any.q == 1
self.any == self.any
self == self && self.o == self.o
self.free == 1
self.emb.kind == 'Pod' && self.emb.apiVersion == 'v1' && self.emb.metadata.name == 'p'
self.emb.metadata.labels.l == 'x'
self.emb.spec.z == 1
has(self.emb.metadata.generateName)
self.empty == self.empty
dyn(self.i) == '3'
dyn(self).i == 3
dyn(self).nope == 3
self.i == self.s
self.i.foo()
foo(self.i)
nope == 1
self.
self.i ==
1
'x'
true
false
self.i
{'a': self.i}.a == 3
{1: 'x', 'y': 2}.size() == 2
[1, 'x'].size() == 2
cel.bind(x, self.i, x == 3)
self.i == 3 ? self.b : self.s == 'x'
self.ls.all(x, x.size() < 2) && self.ls.exists_one(x, x == 'x')
quantity('1Gi').isGreaterThan(quantity('1Mi')) && isQuantity('1k') && quantity(self.s).sign() == 1
url('https://example.com:80/p?q=1').getHost() == 'example.com:80' && isURL('x')
ip('10.0.0.1').family() == 4 && isIP(self.s) == false && cidr('10.0.0.0/8').containsIP('10.1.1.1')
ip(self.s) == ip('::1')
semver('1.2.3').major() == 1 && isSemver('x') == false && semver('v1.0', true).isLessThan(semver('1.2.3'))
format.dns1123Label().validate(self.s).hasValue() == false
format.named('uuid').value().validate(self.s).hasValue()
format.named('nope').hasValue()
authorizer.path('/x').check('get').allowed()
self.l.map(x, [x]).size() == 3 && self.l.filter(x, x > 5).size() == 0
self.ll.all(a, a.all(b, b > 0)) && self.ll[0][1] == 2
self.ll == [[1, 2], [3]]
int(self.f) == 1 && double(self.i) == 3.0 && string(self.i) == '3' && uint(self.i) == 3u
int(self.s) == 1
timestamp(self.s) == self.time
duration('x') == self.dur
timestamp('nope') == self.time
type(self.l) == list && type(self.m) == map && type(self.o) == map
self.i in [1, 2, 3]
self.s in ['a', 'hello'] && self.s in {'hello': 1}
self.l.exists(x, x / 0 == 1) || true
self.s == 'hello' || self.i / 0 == 1
self.s != 'hello' && self.i / 0 == 1
self.s < 'z' && self.s > 'a' && self.s >= 'hello' && self.b > false
self.s.charAt(1) == 'e' && self.s.lastIndexOf('l') == 3 && ' x '.trim() == 'x' && strings.quote('x') == '"x"'
lists.range(4) == [0, 1, 2, 3]
math.greatest(1, 2) == 2
base64.encode(b'x') == 'eA=='
self.all(x, x == 1)
self.i.all(x, x == 1)
self.l.all(x, y, z, true)
self.l.map(1, x)
has(self)
oldSelf == self
self.l.map(x, x.foo)
9223372036854775807 + self.i > 0
self.f / 0.0 > 1.0
self.b ? 1 : 2
self.i == 3 && self.nope == 1 && self.zip == 2
self.s == 'a' + 1
x.y.z == 1
self.metadata.name == 'x'
self.i == 3 // comment
for == 1
self.l[self.i - 3] == 3 && self.m[self.ls[0] + ''] == 1
self.ms == {'a': 'A'} && self.ms.a.lowerAscii() == 'a'
self.time.getFullYear('America/New_York') == 2024
self.f.round() == 2
[self.i, self.i].distinct() == [3]
self.l.first() == optional.of(3)
self.set[0] == 'p' && self.set.size() == 2
self.keyed.filter(x, x.k == 'a')[0].v__dash__1 == 1
self.o.u v == 9
self.ios == 5 || self.ios == '50%'
"""


def expression_cases():
    for rule in EXPRESSIONS.strip().split('\n'):
        yield (rule, spec(RICH, rule), [[FULL], [{'i': 4}]])


UNBOUNDED = arr({'type': 'string'})


def definition_cases():
    yield ('cost: quadratic', spec(obj(l=arr(text())), 'self.l.all(x, self.l.all(y, x != y || x == y))'), [])
    yield ('cost: one list', spec(obj(l=UNBOUNDED), 'self.l.all(x, x.contains("a"))'), [])
    yield ('cost: barely', spec(obj(l=arr(text(maxLength=10), maxItems=2000)), 'self.l.all(x, self.l.all(y, x != y))'), [])
    yield ('cost: nested rules', spec(obj(l=arr(obj(l=arr(text() | {'x-kubernetes-validations': [{'rule': 'self.matches("a+b+c")'}]}))))), [])
    yield ('cost: of all', spec(obj(**{'l%d' % i: arr(text(), maxItems=120 + i) | {'x-kubernetes-validations': [
        {'rule': 'self.all(x, self.all(y, self.all(z, x == y || y == z)))'}]} for i in range(30)})), [])
    yield ('cost: message', spec(obj(l=UNBOUNDED), {'rule': 'self.l.size() < 3', 'messageExpression': 'self.l.map(x, self.l.join(x)).join(",")'}), [])
    yield ('cost: regex on unbounded', spec(obj(s={'type': 'string'}), 'self.s.matches("^(a|b)+$")'), [])
    yield ('cost: sets', spec(obj(l=UNBOUNDED), 'sets.contains(self.l, self.l)'), [])
    yield ('cost: int or string', spec(obj(x=arr({'x-kubernetes-int-or-string': True})), 'self.x.all(y, string(y).contains("a"))'), [])
    yield ('cost: map of maps', spec(mapping(mapping(text())), 'self.all(k, self[k].all(j, self[k][j] != ""))'), [])
    yield ('cost: names', {'type': 'object', 'x-kubernetes-validations': [{'rule': 'self.metadata.name.matches("^[a-z]+$")'}]}, [])
    yield ('cost: sort', spec(obj(l=arr(INT)), 'self.l.sort().distinct().size() > 0'), [])
    yield ('cost: defaults and required', spec(obj(l=arr(obj(a=INT, bb=text()) | {'required': ['a', 'bb']})), 'self.l.all(x, x.a > 0)', 'self.l.exists(x, x.bb == "q")'), [])
    yield ('cost: byte and times', spec(obj(b=arr({'type': 'string', 'format': 'byte'}), d=arr({'type': 'string', 'format': 'duration'}),
                                             t=arr({'type': 'string', 'format': 'date-time'})), 'self.b.all(x, x == b"a")', 'self.d.all(x, self.d.all(y, x < y))',
                                         'self.t.all(x, self.t.exists(y, y > x))'), [])
    yield ('message expression of another type', spec(obj(i=INT), {'rule': 'self.i > 0', 'messageExpression': 'self.i'}), [])
    yield ('message expression that does not compile', spec(obj(i=INT), {'rule': 'self.i > 0', 'messageExpression': 'self.j + "x"'}), [])
    yield ('rule and message that do not compile', spec(obj(i=INT), {'rule': 'self.k > 0', 'messageExpression': 'self.j + "x"'}), [])
    yield ('HTML', spec(obj(i=INT), {'rule': 'self.k > 0 && "<b>" != "&"', 'message': '<b>&"'}), [])
    yield ('empty rule', spec(obj(i=INT), {'rule': ' '}), [])
    yield ('no rule', spec(obj(i=INT), {'message': 'x'}), [])
    yield ('blank message', spec(obj(i=INT), {'rule': 'true', 'message': ' '}), [])
    yield ('lines in message', spec(obj(i=INT), {'rule': 'true', 'message': 'a\nb'}), [])
    yield ('lines in rule', spec(obj(i=INT), {'rule': 'true\n'}, {'rule': 'true &&\n true'}), [])
    yield ('blank message expression', spec(obj(i=INT), {'rule': 'true', 'messageExpression': ' '}), [])
    yield ('reason', spec(obj(i=INT), {'rule': 'true', 'reason': 'Nope'}), [])
    for path in ('.i', 'i', '.j', '.m.x', ".m['a b']", ".m['a\\'b']", '.m[x]', '.o.q', '.o.q.r', ' ', '.', '[', ".l[0]", ".m['x", '.i.', "['i']", '.o[\'q\']', 'a\nb'):
        yield ('path ' + path, spec(obj(i=INT, m=mapping(INT), o=obj(q=INT), l=arr(INT)), {'rule': 'self.i > 5', 'fieldPath': path}), [[{'i': 1}]])
    yield ('old self below a list', spec(obj(l=arr(obj(a=INT) | {'x-kubernetes-validations': [{'rule': 'self.a >= oldSelf.a'}]}, maxItems=5))), [])
    yield ('old self below a set', spec(obj(l=arr(text() | {'x-kubernetes-validations': [{'rule': 'self == oldSelf'}]}, maxItems=5, **{'x-kubernetes-list-type': 'set'}))), [])
    yield ('optional old self without it', spec(obj(i=INT), {'rule': 'self.i > 0', 'optionalOldSelf': True}), [])
    yield ('optional old self as it is', spec(obj(i=INT), {'rule': 'self.i > oldSelf.i', 'optionalOldSelf': True}), [])
    yield ('a part of which nothing is known', spec(obj(x={'x-kubernetes-preserve-unknown-fields': True, 'x-kubernetes-validations': [{'rule': 'true'}]})), [])
    yield ('a list of what is not known', spec(obj(x=arr({'x-kubernetes-preserve-unknown-fields': True}) | {'x-kubernetes-validations': [{'rule': 'self.size() > 0'}]})), [])
    yield ('a rule below another that is wrong', spec(obj(o=obj(x=INT) | {'x-kubernetes-validations': [{'rule': 'self.y > 0'}]}), 'self.o.z == 1'), [])
    yield ('a schema that is wrong above', spec(obj(i=INT, j={'type': 'nope'}), 'self.k > 0'), [])
    yield ('a schema that is wrong beside', spec(obj(i=INT | {'x-kubernetes-validations': [{'rule': 'self.k > 0'}]}, j={'type': 'integer', 'uniqueItems': True})), [])
    yield ('rules in all of', spec(obj(i=INT) | {'allOf': [{'properties': {'i': {'x-kubernetes-validations': [{'rule': 'true'}]}}}]}), [])
    yield ('a default that breaks a rule', spec(obj(i=INT | {'default': 3, 'x-kubernetes-validations': [{'rule': 'self > 5', 'message': 'too small'}]})), [])
    yield ('a default that fits', spec(obj(i=INT | {'default': 7, 'x-kubernetes-validations': [{'rule': 'self > 5'}]})), [[{}], [{'i': 1}]])
    yield ('a default and what was before', spec(obj(i=INT | {'default': 3, 'x-kubernetes-validations': [{'rule': 'oldSelf.hasValue()', 'optionalOldSelf': True}]})), [])
    yield ('a default of an object', spec(obj(o=obj(a=INT) | {'default': {'a': 1}, 'x-kubernetes-validations': [{'rule': 'self.b == 1'}, {'rule': 'self.a == 2'}]})), [])
    yield ('the same rule twice', spec(obj(i=INT), 'self.i > 0', 'self.i > 0'), [[{'i': 0}]])


def transitions():
    immutable = {'rule': 'self == oldSelf', 'message': 'is immutable'}
    for name, of, before, after in (
            ('int', INT, 1, 2), ('text', text(), 'a', 'b'), ('list', arr(INT, maxItems=5), [1, 2], [2, 1]),
            ('set', arr(text(), maxItems=5, **{'x-kubernetes-list-type': 'set'}), ['a', 'b'], ['b', 'a']),
            ('keyed', KEYED, [{'k': 'a'}, {'k': 'b'}], [{'k': 'b'}, {'k': 'a'}]),
            ('map', mapping(INT), {'a': 1}, {'a': 2}), ('object', obj(a=INT), {'a': 1}, {}),
            ('loose', {'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}, {'a': 1}, {'a': 2}),
            ('int or string', {'x-kubernetes-int-or-string': True}, 1, '1')):
        yield ('immutable ' + name, spec(obj(x=of | {'x-kubernetes-validations': [immutable]}, y=INT)),
               [[{'x': before}, {'x': before, 'y': 1}, {'x': after}], [{}, {'x': before}], [{'x': before}, {}]])
    yield ('only up', spec(obj(x=INT), 'self.x >= oldSelf.x'), [[{'x': 1}, {'x': 2}, {'x': 0}]])
    yield ('once set', spec(obj(x=INT), '!has(oldSelf.x) || has(self.x)'), [[{'x': 1}, {}], [{}, {'x': 1}]])
    yield ('optional', spec(obj(x=INT), {'rule': 'oldSelf.hasValue() || self.x == 1', 'optionalOldSelf': True}), [[{'x': 1}, {'x': 2}], [{'x': 2}]])
    yield ('optional value', spec(obj(x=INT), {'rule': 'self.x == oldSelf.orValue(self).x', 'optionalOldSelf': True,
                                              'messageExpression': '"was " + string(oldSelf.orValue(self).x)'}), [[{'x': 1}, {'x': 2}]])
    yield ('items by key', spec(obj(l=arr(obj(k=text(), v=INT) | {'required': ['k'], 'x-kubernetes-validations': [
        {'rule': 'self.v >= oldSelf.v', 'messageExpression': '"item " + self.k + " went down from " + string(oldSelf.v)'}]}, maxItems=5,
        **{'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']}))),
        [[{'l': [{'k': 'a', 'v': 2}, {'k': 'b', 'v': 2}]}, {'l': [{'k': 'b', 'v': 3}, {'k': 'a', 'v': 1}, {'k': 'c', 'v': 0}]}]])
    yield ('values of a map', spec(mapping(INT | {'x-kubernetes-validations': [{'rule': 'self == oldSelf'}]})), [[{'a': 1}, {'a': 2, 'b': 5}]])
    yield ('message that needs what was not', spec(obj(x=INT), {'rule': 'self.x < 5', 'messageExpression': '"old " + string(oldSelf.x)'}),
           [[{'x': 7}], [{'x': 1}, {'x': 7}]])
    yield ('atomic map', spec(obj(m=mapping(INT | {'x-kubernetes-validations': [{'rule': 'self >= oldSelf'}]}) | {'x-kubernetes-map-type': 'atomic'})),
           [[{'m': {'a': 2}}, {'m': {'a': 1}}]])


def messages():
    base = obj(i=INT, s=text(), l=arr(INT, maxItems=5), o=obj(q=INT))
    for name, rule in (
            ('plain', {'rule': 'self.i > 5'}), ('message', {'rule': 'self.i > 5', 'message': '  i is small '}),
            ('expression', {'rule': 'self.i > 5', 'messageExpression': '"i is " + string(self.i)'}),
            ('both', {'rule': 'self.i > 5', 'message': 'plain', 'messageExpression': '"i is " + string(self.i)'}),
            ('failing', {'rule': 'self.i > 5', 'message': 'plain', 'messageExpression': 'string(self.l[7])'}),
            ('blank', {'rule': 'self.i > 5', 'message': 'plain', 'messageExpression': '"  "'}),
            ('lines', {'rule': 'self.i > 5', 'message': 'plain', 'messageExpression': '"a\\nb"'}),
            ('trimmed', {'rule': 'self.i > 5', 'messageExpression': '" x \\n"'}),
            ('long', {'rule': 'self.i > 5', 'message': 'plain', 'messageExpression': '"%s".format([lists.range(2000).map(x, "abc").join("")])'}),
            ('multi-line rule', {'rule': 'self.i >\n5', 'message': 'lines'}),
            ('runtime error with message', {'rule': 'self.l[9] > 5', 'message': 'no such item'}),
            ('runtime overload', {'rule': 'dyn(self.s) > 5', 'message': 'cannot'}),
            ('runtime overload bare', {'rule': 'dyn(self.s) > 5'})):
        for reason in ((None, 'FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate') if name in ('plain', 'message') else (None,)):
            for path in ((None, '.o.q') if reason is None else (None,)):
                more = {k: v for k, v in (('reason', reason), ('fieldPath', path)) if v}
                yield ('message %s %s %s' % (name, reason, path), spec(base, rule | more), [[{'i': 1, 's': 'x', 'l': [1]}]])
    for name, of, value in (('int', INT, 3), ('number', NUM, 1.5), ('text', text(), 'q"q'), ('bool', BOOL, False), ('list', arr(INT), [1]),
                            ('object', obj(a=INT), {'a': 1}), ('ios', {'x-kubernetes-int-or-string': True}, 5), ('bytes', {'type': 'string', 'format': 'byte'}, 'aGk='),
                            ('time', {'type': 'string', 'format': 'date-time'}, '2024-01-01T00:00:00Z')):
        for reason in (None, 'FieldValueDuplicate'):
            rule = {'rule': 'false', 'message': 'no'} | ({'reason': reason} if reason else {})
            yield ('value of %s %s' % (name, reason), spec(obj(x=of | {'x-kubernetes-validations': [rule]})), [[{'x': value}]])
    yield ('rule at the root', dict(spec(obj(i=INT)), **{'x-kubernetes-validations': [{'rule': 'self.spec.i > 5'}, {'rule': 'self.metadata.name.startsWith("x")'},
           {'rule': 'self.kind != "" && self.apiVersion.startsWith("rules")'}, {'rule': 'has(self.metadata.generateName)', 'fieldPath': '.spec'}]}), [[{'i': 1}]])
    yield ('metadata is mostly hidden', dict(spec(obj(i=INT)), **{'x-kubernetes-validations': [{'rule': 'has(self.metadata.labels)'}]}), [])
    yield ('blocked by a missing field', spec(obj(i=INT, j=INT) | {'required': ['j']}, 'self.i > 5'), [[{'i': 1}]])
    yield ('not blocked by a pattern', spec(obj(i=INT, s=text(pattern='^a')), 'self.i > 5'), [[{'i': 1, 's': 'b'}]])
    yield ('blocked by a type', spec(obj(i=INT), 'self.i > 5'), [[{'i': 'x'}]])
    yield ('in a list', spec(obj(l=arr(INT | {'x-kubernetes-validations': [{'rule': 'self > 1', 'message': 'small'}]}, maxItems=9))), [[{'l': [1, 2, 0]}]])
    yield ('in a map', spec(obj(m=mapping(INT | {'x-kubernetes-validations': [{'rule': 'self > 1', 'message': 'small'}]}))), [[{'m': {'a': 0, 'b c': 1, 'z': 4}}]])
    yield ('null', spec(obj(n=INT | {'nullable': True, 'x-kubernetes-validations': [{'rule': 'self > 1'}]}), '!has(self.n)'), [[{'n': None}], [{'n': 1}]])
    yield ('embedded', spec(obj(e={'type': 'object', 'x-kubernetes-embedded-resource': True, 'x-kubernetes-preserve-unknown-fields': True,
           'x-kubernetes-validations': [{'rule': 'self.kind == "Pod"'}, {'rule': 'self.metadata.name == "n"'}]})),
           [[{'e': {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'm'}}}]])
    yield ('names that cannot be written', spec(obj(**{'a b': INT | {'x-kubernetes-validations': [{'rule': 'self > 1'}]}})), [[{'a b': 0}]])
    yield ('budget', spec(obj(l=arr(INT, maxItems=1000), n=INT), {'rule': 'self.l.all(x, self.l.all(y, x != y || x == y))'}), [[{'l': list(range(700))}]])
    yield ('budget of one call', spec(obj(l=arr(INT, maxItems=1000)), 'self.l.all(x, self.l.all(y, x != -y))', 'self.l.size() == 0'), [[{'l': list(range(900))}]])


def ratcheting():
    small = INT | {'x-kubernetes-validations': [{'rule': 'self < 5', 'message': 'too large'}]}
    loose = INT
    # The definition is changed after the object was made: the case has two schemas.
    for name, before, after, values in (
            ('field', obj(a=loose, b=loose), obj(a=small, b=loose), [{'a': 9, 'b': 1}, {'a': 9, 'b': 2}, {'a': 8, 'b': 2}]),
            ('list', obj(a=arr(loose, maxItems=3), b=loose), obj(a=arr(small, maxItems=3), b=loose), [{'a': [9], 'b': 1}, {'a': [9], 'b': 2}, {'a': [9, 1]}]),
            ('map', obj(a=mapping(loose), b=loose), obj(a=mapping(small), b=loose), [{'a': {'x': 9}}, {'a': {'x': 9}, 'b': 1}, {'a': {'x': 9, 'y': 1}}, {'a': {'x': 9, 'y': 9}}]),
            ('keyed', obj(a=arr(obj(k=text(), v=loose) | {'required': ['k']}, maxItems=3, **{'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']})),
             obj(a=arr(obj(k=text(), v=small) | {'required': ['k']}, maxItems=3, **{'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k']})),
             [{'a': [{'k': 'x', 'v': 9}]}, {'a': [{'k': 'y', 'v': 1}, {'k': 'x', 'v': 9}]}, {'a': [{'k': 'y', 'v': 9}]}]),
            ('whole', obj(a=loose, b=loose), obj(a=loose, b=loose) | {'x-kubernetes-validations': [{'rule': 'self.a < 5'}]}, [{'a': 9}, {'a': 9, 'b': 1}]),
            ('transition', obj(a=loose, b=loose), obj(a=loose | {'x-kubernetes-validations': [{'rule': 'self == oldSelf && self < 5'}]}, b=loose), [{'a': 9}, {'a': 9, 'b': 1}])):
        yield ('ratchet ' + name, [spec(before), spec(after)], [values])


def cases():
    for make in (expression_cases, definition_cases, transitions, messages, ratcheting):
        yield from make()
