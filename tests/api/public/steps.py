# SPDX-License-Identifier: Apache-2.0
# Public steps.  Helpers (k, h, w, sched, py, pick, ...) are injected by run.py.
N = 'pub'
TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
META = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json'
DISC = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

def node(name, zone='a', cpu='8', extra=None, **labels):
    o = {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone, **labels}},
         'status': {'capacity': {'cpu': cpu, 'memory': '32Gi', 'pods': '110'}, 'allocatable': {'cpu': cpu, 'memory': '32Gi', 'pods': '110'},
                    'conditions': [{'type': 'Ready', 'status': 'True', 'reason': 'KubeletReady', 'message': 'fake kubelet is ready', 'lastHeartbeatTime': '2020-01-01T00:00:00Z', 'lastTransitionTime': '2020-01-01T00:00:00Z'}],
                    'addresses': [{'type': 'InternalIP', 'address': '10.1.0.1'}, {'type': 'Hostname', 'address': name}],
                    'nodeInfo': {'machineID': 'm', 'systemUUID': 's', 'bootID': 'b', 'kernelVersion': '6.1', 'osImage': 'Fake OS', 'containerRuntimeVersion': 'fake://1', 'kubeletVersion': 'v1.37.1', 'kubeProxyVersion': '', 'operatingSystem': 'linux', 'architecture': 'amd64'}}}
    return o
def pod(name, ns=N, labels=None, **spec):
    sp = {'containers': [{'name': 'c', 'image': 'nginx:1.27', 'resources': {'requests': {'cpu': '100m', 'memory': '64Mi'}}}]}
    sp.update(spec)
    md = {'namespace': ns}
    md['generateName' if name.endswith('-') else 'name'] = name
    if labels: md['labels'] = labels
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': md, 'spec': sp}
def J(*objs): return '\n'.join(json.dumps(o) for o in objs)
def bind(name, to, uid=None, ns=N):
    return {'apiVersion': 'v1', 'kind': 'Binding', 'metadata': {'name': name, 'namespace': ns, **({'uid': uid} if uid else {})}, 'target': {'apiVersion': 'v1', 'kind': 'Node', 'name': to}}
def evict(name, ns=N, **opts):
    o = {'apiVersion': 'policy/v1', 'kind': 'Eviction', 'metadata': {'name': name, 'namespace': ns}}
    if opts: o['deleteOptions'] = opts
    return o
PODS = '/api/v1/namespaces/%s/pods' % N
CMS = '/api/v1/namespaces/%s/configmaps' % N
CORE = ['bindings', 'configmaps', 'events', 'namespaces', 'namespaces/status', 'namespaces/finalize', 'nodes', 'nodes/status', 'persistentvolumeclaims', 'persistentvolumeclaims/status', 'persistentvolumes', 'persistentvolumes/status', 'pods', 'pods/status', 'pods/binding', 'pods/eviction', 'replicationcontrollers', 'secrets', 'serviceaccounts', 'services']
GROUPS = ['apps', 'authentication.k8s.io', 'authorization.k8s.io', 'coordination.k8s.io', 'events.k8s.io', 'policy', 'resource.k8s.io', 'scheduling.k8s.io', 'storage.k8s.io']

WEB = '''apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: pub
  labels: {app: web}
spec:
  containers:
  - name: c
    image: nginx:1.27
    ports: [{containerPort: 80}]
    resources: {requests: {cpu: 100m, memory: 64Mi}}
'''

STEPS = [
 # ---------------- health, version, discovery, schema
 h('healthz', 'GET', '/healthz', accept='*/*'),
 h('readyz', 'GET', '/readyz', accept='*/*'),
 h('livez', 'GET', '/livez', accept='*/*'),
 h('version-keys', 'GET', '/version', proj=lambda o: {'has': sorted(x for x in o if x in ('major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform')), 'major': o.get('major')}),
 k('api-versions', 'api-versions', keep=r'^(v1|apps/v1|policy/v1|(authentication|authorization|coordination|events|resource|scheduling|storage)\.k8s\.io/v1)$'),
 k('api-resources', 'api-resources', keep=r'^(NAME|bindings|configmaps|namespaces|nodes|persistentvolume\w*|pods |replicationcontrollers|secrets|serviceaccounts|services|replicasets|statefulsets|deployments|daemonsets|self\w*|subject\w*|tokenreviews|leases|events|poddisruptionbudgets|resource(claims|slices|claimtemplates)|deviceclasses|priorityclasses|csi\w*|storageclasses|volumeattachments) '),
 k('api-resources-verbs-categories', 'api-resources --namespaced=true --categories=all -o name', keep=r'^(pods|services|replicationcontrollers|replicasets.apps|deployments.apps|statefulsets.apps|daemonsets.apps)$'),
 h('api-root-legacy', 'GET', '/api', pick=['kind', 'versions']),
 h('apis-root-legacy', 'GET', '/apis', proj=lambda o: {'kind': o['kind'], 'groups': sorted([{'name': g['name'], 'preferred': g['preferredVersion']} for g in o['groups'] if g['name'] in GROUPS], key=lambda g: g['name'])}),
 h('apis-group', 'GET', '/apis/scheduling.k8s.io', pick=['kind', 'apiVersion', 'name', 'preferredVersion']),
 h('core-resource-list', 'GET', '/api/v1', proj=lambda o: {'kind': o['kind'], 'groupVersion': o['groupVersion'], 'resources': sorted([{x: r.get(x) for x in ('name', 'singularName', 'namespaced', 'kind', 'verbs', 'shortNames', 'categories', 'group', 'version')} for r in o['resources'] if r['name'] in CORE], key=lambda r: r['name'])}),
 h('aggregated-discovery-api', 'GET', '/api', accept=DISC, proj=lambda o: {'kind': o['kind'], 'apiVersion': o['apiVersion'], 'versions': [{'version': v['version'], 'resources': sorted([r for r in v['resources'] if r['resource'] in ('pods', 'nodes', 'namespaces', 'bindings')], key=lambda r: r['resource'])} for v in o['items'][0]['versions']]}, re=[(r'"freshness": "\w+",?\n', '')],
   drop=['versions[*].resources[*].subresources']),
 h('aggregated-discovery-apis', 'GET', '/apis', accept=DISC, proj=lambda o: sorted([{'name': g['metadata']['name'], 'versions': [{'version': v['version'], 'freshness': v.get('freshness'), 'resources': sorted(v['resources'], key=lambda r: r['resource'])} for v in g['versions'] if v['version'] == 'v1']} for g in o['items'] if g['metadata']['name'] in ('scheduling.k8s.io', 'policy')], key=lambda g: g['name'])),
 h('openapi-v3-root', 'GET', '/openapi/v3', proj=lambda o: sorted([p, bool(re.match('/openapi/v3/' + p + r'\?hash=[0-9A-F]+$', v['serverRelativeURL']))] for p, v in o['paths'].items() if p in ('api/v1', 'apis/policy/v1', 'apis/scheduling.k8s.io/v1', 'apis/storage.k8s.io/v1', 'apis/coordination.k8s.io/v1')),
   accept='application/json', body_is=None),
 h('openapi-v3-core', 'GET', '/openapi/v3/api/v1', proj=lambda o: {'openapi': o['openapi'], 'gvk': o['components']['schemas']['io.k8s.api.core.v1.Pod']['x-kubernetes-group-version-kind'], 'required': sorted(o['components']['schemas']['io.k8s.api.core.v1.Container']['required']), 'mergeKey': o['components']['schemas']['io.k8s.api.core.v1.PodSpec']['properties']['containers'].get('x-kubernetes-patch-merge-key'), 'verbs': sorted(o['paths']['/api/v1/namespaces/{namespace}/pods/{name}'])}),
 k('explain-fields', 'explain pod.spec.tolerations', keep=r'^(KIND|VERSION|FIELD)|^  \w+\t<|enum'),
 k('get-unknown-resource', 'get widgets'),
 h('unknown-path', 'GET', '/apis/nope.example.com/v1/things', accept='application/json'),
 # ---------------- namespaces
 k('ns-list', 'get ns'),
 k('ns-create', ['create', 'ns', N]),
 k('ns-create-again', ['create', 'ns', N]),
 k('ns-yaml', ['get', 'ns', N, '-o', 'yaml']),
 k('ns-invalid-name', 'create ns Bad_Name'),
 k('ns-protected', 'delete ns kube-system --dry-run=server'),
 # ---------------- nodes
 k('node-create', 'create -f -', stdin=J(node('pub-1', 'a'), node('pub-2', 'b', **{'node-role.kubernetes.io/worker': ''}), node('pub-3', 'c'))),
 k('node-get', 'get nodes'),
 k('node-get-wide', 'get nodes -o wide'),
 k('node-yaml', 'get node pub-1 -o yaml'),
 k('node-untaint', 'taint nodes --all node.kubernetes.io/not-ready-'),
 k('node-taint', 'taint nodes pub-3 dedicated=gpu:NoSchedule'),
 k('node-taint-effect', "get node pub-3 -o jsonpath={.spec.taints}"),
 k('node-taint-remove', 'taint nodes pub-3 dedicated-'),
 k('node-cordon', 'cordon pub-2'),
 k('node-cordoned-row', 'get node pub-2'),
 k('node-uncordon', 'uncordon pub-2'),
 k('node-label', 'label nodes pub-1 pub-2 pool=blue'),
 k('node-label-conflict', 'label nodes pub-1 pool=green'),
 k('node-by-label-columns', 'get nodes -l pool=blue -L pool,topology.kubernetes.io/zone'),
 k('node-describe', 'describe node pub-1', omit='Kube-Proxy Version'),
 k('node-wait-ready', 'wait --for=condition=Ready node/pub-1 --timeout=10s'),
 # ---------------- pods: apply, defaulting, printing
 k('pod-apply', 'apply -f -', stdin=WEB),
 k('pod-apply-unchanged', 'apply -f -', stdin=WEB),
 k('pod-apply-configured', 'apply -f -', stdin=WEB.replace('app: web', 'app: web, tier: front')),
 k('pod-get', ['get', 'pods', '-n', N]),
 k('pod-get-wide', ['get', 'pods', '-n', N, '-o', 'wide']),
 k('pod-yaml-defaults', ['get', 'pod', 'web', '-n', N, '-o', 'yaml']),
 k('pod-describe', ['describe', 'pod', 'web', '-n', N]),
 k('pod-all-namespaces', 'get pods -A --show-labels'),
 k('pod-field-selector-phase', ['get', 'pods', '-n', N, '--field-selector', 'status.phase=Pending,spec.nodeName=']),
 k('pod-field-selector-none', ['get', 'pods', '-n', N, '--field-selector', 'spec.nodeName=pub-1']),
 k('pod-field-selector-bad', ['get', 'pods', '-n', N, '--field-selector', 'spec.foo=bar']),
 k('pod-not-found', ['get', 'pod', 'nosuch', '-n', N]),
 h('pod-not-found-status', 'GET', PODS + '/nosuch'),
 h('pod-table', 'GET', PODS + '?limit=500', accept=TABLE, drop=['rows[*].object', 'columnDefinitions[*].description'], re=[(r'"\d+[smh]\d*s?"', '"<age>"')]),
 h('pod-table-wrong-version-406', 'GET', PODS + '/web', accept='application/xml'),
 # ---------------- validation and admission errors
 k('pod-missing-image', ['create', '-n', N, '-f', '-'], stdin=J({**pod('bad'), 'spec': {'containers': [{'name': 'c'}]}})),
 h('pod-invalid-422-causes', 'POST', PODS, pod('bad', containers=[{'name': 'C_', 'image': 'x', 'resources': {'requests': {'cpu': '2'}, 'limits': {'cpu': '1'}}}], restartPolicy='Sometimes')),
 k('pod-unknown-field-strict', ['create', '-n', N, '-f', '-'], stdin=J(pod('bad', nodeNamee='x'))),
 h('pod-unknown-field-warn', 'POST', PODS + '?fieldValidation=Warn&dryRun=All', pod('bad', nodeNamee='x'), show_headers=['warning'], pick=['metadata.name', 'kind']),
 h('pod-wrong-namespace', 'POST', '/api/v1/namespaces/default/pods', pod('x')),
 h('pod-missing-namespace', 'POST', '/api/v1/namespaces/absent/pods', pod('x', ns='absent')),
 h('pod-malformed-json', 'POST', PODS, '{"kind":"Pod",', re=[(r'"message": ".*"', '"message": "<any>"')]),
 h('pod-unsupported-media', 'POST', PODS, 'x=1', ctype='application/x-www-form-urlencoded'),
 k('pod-no-such-priority', ['create', '-n', N, '-f', '-'], stdin=J(pod('bad', priorityClassName='missing'))),
 k('pc-create', 'create priorityclass pub-high --value=1000 --description=x'),
 k('pc-list', 'get priorityclass'),
 h('pod-priority-resolved', 'POST', PODS + '?dryRun=All', pod('prio', priorityClassName='pub-high'), pick=['spec.priority', 'spec.preemptionPolicy', 'spec.priorityClassName', 'status', 'metadata.generation']),
 h('pod-generate-name', 'POST', PODS, pod('gen-', labels={'gen': '1'}), save={'gen': 'metadata.name'}, proj=lambda o: {'ok': bool(re.match(r'gen-[bcdfghjklmnpqrstvwxz2456789]{5}$', o['metadata']['name'])), 'generateName': o['metadata']['generateName']}),
 k('pod-dry-run-server', ['run', 'dry', '--image=busybox', '-n', N, '--dry-run=server', '-o', 'yaml']),
 k('pod-dry-run-not-stored', ['get', 'pod', 'dry', '-n', N]),
 # ---------------- patch and concurrency
 k('patch-strategic', ['patch', 'pod', 'web', '-n', N, '-p', '{"metadata":{"labels":{"x":"y"}}}']),
 k('patch-merge-null', ['patch', 'pod', 'web', '-n', N, '--type=merge', '-p', '{"metadata":{"labels":{"x":null,"y":"z"}}}', '-o', 'jsonpath={.metadata.labels}']),
 k('patch-json', ['patch', 'pod', 'web', '-n', N, '--type=json', '-p', '[{"op":"test","path":"/metadata/labels/y","value":"z"},{"op":"remove","path":"/metadata/labels/y"}]', '-o', 'jsonpath={.metadata.labels}']),
 k('patch-immutable-spec', ['patch', 'pod', 'web', '-n', N, '-p', '{"spec":{"nodeName":"pub-1"}}'], keep='^$', re=[(r'(may not change fields other than).*', r'\1 ...'), (r'(?s)\n@@.*|\n  core\..*', '')]),
 h('put-conflict', 'PUT', CMS + '/cc', {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'cc', 'resourceVersion': '1'}, 'data': {'a': '2'}},
   set={'_': lambda r: r.req('POST', CMS, {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'cc'}, 'data': {'a': '1'}})}),
 h('put-unconditional', 'PUT', CMS + '/cc', {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'cc'}, 'data': {'a': '3'}}),
 py('rv-grows-and-noop-keeps-rv', lambda r: (lambda a, b, c: 'patch grows rv: %s\nno-op patch keeps rv: %s' % (int(b) > int(a), c == b))(
     r.get(CMS + '/cc', 'metadata.resourceVersion'),
     json.loads(r.req('PATCH', CMS + '/cc', {'data': {'a': '4'}}, ctype='application/merge-patch+json')[2])['metadata']['resourceVersion'],
     json.loads(r.req('PATCH', CMS + '/cc', {'data': {'a': '4'}}, ctype='application/merge-patch+json')[2])['metadata']['resourceVersion'])),
 # ---------------- server-side apply
 k('ssa-create', ['apply', '--server-side', '-n', N, '-f', '-'], stdin=J({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'ssa'}, 'data': {'a': '1', 'b': '2'}})),
 k('ssa-conflict', ['apply', '--server-side', '--field-manager=other', '-n', N, '-f', '-'], stdin=J({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'ssa'}, 'data': {'a': '9'}})),
 k('ssa-force', ['apply', '--server-side', '--force-conflicts', '--field-manager=other', '-n', N, '-f', '-'], stdin=J({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'ssa'}, 'data': {'a': '9'}})),
 h('ssa-managed-fields', 'GET', CMS + '/ssa', mf=True),
 # ---------------- list, paging, watch
 h('list-page-1', 'GET', '/api/v1/nodes?limit=2', save={'cont': 'metadata.continue'}, proj=lambda o: {'kind': o['kind'], 'names': pick(o, 'items[*].metadata.name'), 'remaining': o['metadata'].get('remainingItemCount'), 'more': bool(o['metadata'].get('continue')), 'items-have-kind': 'kind' in o['items'][0]}),
 h('list-page-2', 'GET', '/api/v1/nodes?limit=2&continue=${cont}', proj=lambda o: {'names': pick(o, 'items[*].metadata.name'), 'remaining': o['metadata'].get('remainingItemCount'), 'more': bool(o['metadata'].get('continue'))}),
 h('list-bad-continue', 'GET', '/api/v1/nodes?limit=2&continue=abc', pick=['kind', 'code', 'reason']),
 h('list-empty-items-not-null', 'GET', '/apis/storage.k8s.io/v1/csinodes'),
 h('list-metadata-only', 'GET', PODS + '?labelSelector=app%3Dweb', accept=META, drop=['items[*].metadata.annotations']),
 w('watch-pod-lifecycle', PODS + '?watch=true&resourceVersion=${rv}', [h('a', 'POST', PODS, pod('w1')), h('b', 'PATCH', PODS + '/w1', {'metadata': {'labels': {'l': '1'}}}, ctype='application/merge-patch+json'), h('c', 'DELETE', PODS + '/w1?gracePeriodSeconds=0')], 6, max_s=3, show=['metadata.labels', 'spec.nodeName'],
   set={'rv': lambda r: r.get(PODS, 'metadata.resourceVersion')}),
 w('watch-list-initial-events', '/api/v1/nodes?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', [], 4, show=['metadata.annotations'], sort=True),
 w('watch-rv-zero-synthetic-added', '/api/v1/nodes?watch=true&resourceVersion=0', [], 3, sort=True),
 # ---------------- binding, status, deletion
 h('bind', 'POST', PODS + '/web/binding', bind('web', 'pub-1')),
 h('bind-result', 'GET', PODS + '/web', pick=['spec.nodeName', 'status', 'metadata.generation', 'metadata.labels']),
 h('bind-again-conflict', 'POST', PODS + '/web/binding', bind('web', 'pub-2')),
 h('status-patch-running', 'PATCH', PODS + '/web/status', {'status': {'phase': 'Running', 'podIP': '10.244.0.5', 'podIPs': [{'ip': '10.244.0.5'}], 'hostIP': '10.1.0.1', 'startTime': '2020-01-01T00:00:00Z', 'conditions': [{'type': 'Ready', 'status': 'True', 'lastProbeTime': None, 'lastTransitionTime': '2020-01-01T00:00:00Z'}], 'containerStatuses': [{'name': 'c', 'image': 'nginx:1.27', 'imageID': '', 'ready': True, 'restartCount': 2, 'started': True, 'state': {'running': {'startedAt': '2020-01-01T00:00:00Z'}}, 'lastState': {}}]}}, ctype='application/strategic-merge-patch+json', pick=['status']),
 k('pod-running-wide', ['get', 'pod', 'web', '-n', N, '-o', 'wide']),
 k('node-describe-with-pod', 'describe node pub-1', keep=r'^(Non-term|  Namespace|  pub|  cpu|  memory)'),
 k('pdb-create', ['create', 'pdb', 'web', '--selector=app=web', '--min-available=1', '-n', N]),
 k('pdb-get', ['get', 'pdb', '-n', N]),
 h('evict-blocked-429', 'POST', PODS + '/web/eviction', evict('web'), show_headers=['retry-after']),
 h('pdb-status-allow', 'PATCH', '/apis/policy/v1/namespaces/%s/poddisruptionbudgets/web/status' % N, {'status': {'observedGeneration': 1, 'disruptionsAllowed': 1, 'currentHealthy': 2, 'desiredHealthy': 1, 'expectedPods': 2}}, ctype='application/merge-patch+json', pick=['status', 'metadata.generation']),
 h('evict-allowed', 'POST', PODS + '/web/eviction', evict('web')),
 h('evict-effect-on-pod', 'GET', PODS + '/web', proj=lambda o: {'deleting': 'deletionTimestamp' in o['metadata'], 'grace': o['metadata'].get('deletionGracePeriodSeconds'), 'phase': o['status']['phase']}),
 h('evict-effect-on-pdb', 'GET', '/apis/policy/v1/namespaces/%s/poddisruptionbudgets/web' % N, proj=lambda o: {'allowed': o['status']['disruptionsAllowed'], 'disrupted': sorted(o['status'].get('disruptedPods', {}))}),
 k('pod-terminating-row', ['get', 'pod', 'web', '-n', N]),
 k('pod-force-delete', ['delete', 'pod', 'web', '-n', N, '--force', '--grace-period=0']),
 h('delete-uid-precondition', 'DELETE', PODS + '/${gen}', {'kind': 'DeleteOptions', 'apiVersion': 'v1', 'preconditions': {'uid': '00000000-0000-0000-0000-000000000000'}}, re=[(r'gen-\w{5}', 'gen-XXXXX')]),
 h('delete-unbound-pod-immediate', 'DELETE', PODS + '/${gen}', re=[(r'gen-\w{5}', 'gen-XXXXX')], pick=['kind', 'status', 'metadata.deletionGracePeriodSeconds']),
 # ---------------- events, leases, reviews, protobuf
 k('event-create', ['create', '-n', N, '-f', '-'], stdin=J({'apiVersion': 'v1', 'kind': 'Event', 'metadata': {'name': 'ev1', 'namespace': N}, 'involvedObject': {'kind': 'Pod', 'namespace': N, 'name': 'web', 'apiVersion': 'v1'}, 'reason': 'Scheduled', 'message': 'Successfully assigned pub/web to pub-1', 'type': 'Normal', 'source': {'component': 'default-scheduler'}, 'firstTimestamp': '2020-01-01T00:00:00Z', 'lastTimestamp': '2020-01-01T00:00:00Z', 'count': 1})),
 k('event-get', ['get', 'events', '-n', N]),
 h('event-other-group', 'GET', '/apis/events.k8s.io/v1/namespaces/%s/events/ev1' % N),
 h('event-field-selector', 'GET', '/api/v1/namespaces/%s/events?fieldSelector=involvedObject.name%%3Dweb,reason%%3DScheduled,type!%%3DWarning' % N, pick=['items[*].metadata.name']),
 h('lease-create-protobuf-body', 'POST', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', pb_wrap('coordination.k8s.io/v1', 'Lease', pb_enc(1, pb_enc(1, 'pub-1')) + pb_enc(2, pb_enc(1, 'pub-1') + pb_enc(2, 40))), ctype=PB),
 h('node-protobuf-response', 'GET', '/api/v1/nodes/pub-3', accept=PB),
 k('auth-can-i', 'auth can-i create pods'),
 h('ssar-json', 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {'apiVersion': 'authorization.k8s.io/v1', 'kind': 'SelfSubjectAccessReview', 'spec': {'resourceAttributes': {'verb': 'list', 'resource': 'nodes'}}}, pick=['kind', 'status.allowed']),
 k('top-unavailable', 'top nodes'),
 # ---------------- storage, finalizers, namespace deletion
 k('storage-create', ['create', '-n', N, '-f', '-'], stdin=J({'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name': 'pub-fast'}, 'provisioner': 'kubernetes.io/no-provisioner', 'volumeBindingMode': 'WaitForFirstConsumer'},
    {'apiVersion': 'v1', 'kind': 'PersistentVolume', 'metadata': {'name': 'pub-pv'}, 'spec': {'capacity': {'storage': '10Gi'}, 'accessModes': ['ReadWriteOnce'], 'storageClassName': 'pub-fast', 'local': {'path': '/mnt/d'}, 'nodeAffinity': {'required': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'kubernetes.io/hostname', 'operator': 'In', 'values': ['pub-1']}]}]}}}},
    {'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'metadata': {'name': 'data'}, 'spec': {'accessModes': ['ReadWriteOnce'], 'storageClassName': 'pub-fast', 'resources': {'requests': {'storage': '5Gi'}}}})),
 k('storage-get', ['get', 'sc,pv,pvc', '-n', N]),
 k('pv-yaml-defaults', 'get pv pub-pv -o yaml'),
 k('pvc-delete-held-by-finalizer', ['delete', 'pvc', 'data', '-n', N, '--wait=false']),
 k('pvc-terminating', ['get', 'pvc', '-n', N]),
 k('pvc-remove-finalizer', ['patch', 'pvc', 'data', '-n', N, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']),
 k('pvc-gone', ['get', 'pvc', 'data', '-n', N]),
]

# ---------------- real scheduler
def s_start(r):
    r.start_scheduler()
    r.run_kubectl(['create', 'ns', 'sched'])
    rc, out, err = r.run_kubectl(['create', '-f', '-'], J(*[node('s%d' % i, 'z%d' % (i % 3)) for i in range(5)]))
    r.run_kubectl(['taint', 'nodes', 's0', 's1', 's2', 's3', 's4', 'node.kubernetes.io/not-ready-'])
    r.run_kubectl(['cordon', 'pub-1', 'pub-2', 'pub-3'])
    t0 = time.time(); holder = None
    while time.time() - t0 < 60:
        st, _, d = r.req('GET', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler')
        holder = pick(json.loads(d), 'spec.holderIdentity') if st == 200 else None
        if holder: break
        time.sleep(0.3)
    return 'nodes created rc=%d\nleader elected: %s' % (rc, bool(holder))
def s_fifty(r):
    r.run_kubectl(['create', '-f', '-'], J(*[pod('p%02d' % i, ns='sched', labels={'app': 'x'}) for i in range(50)]))
    t0 = time.time(); nn = []
    while time.time() - t0 < 60:
        nn = [n for n in r.get('/api/v1/namespaces/sched/pods', 'items[*].spec.nodeName') if n]
        if len(nn) == 50: break
        time.sleep(0.3)
    conds = r.get('/api/v1/namespaces/sched/pods?limit=1', 'items[*].status.conditions')
    return 'bound: %d\nnodes used: %d\nPodScheduled: %s' % (len(nn), len(set(nn)), [(c['type'], c['status']) for c in (conds[0] if conds else [])])
def s_events(r):
    t0 = time.time(); n = 0
    while time.time() - t0 < 20:
        n = len([x for x in r.get('/api/v1/namespaces/sched/events', 'items[*].reason') if x == 'Scheduled'])
        if n >= 50: break
        time.sleep(0.5)
    return 'Scheduled events: %d' % n
def s_unsched(r):
    r.run_kubectl(['create', '-f', '-'], J(pod('big', ns='sched', containers=[{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '100'}}}])))
    t0 = time.time(); c = None
    while time.time() - t0 < 20:
        c = r.get('/api/v1/namespaces/sched/pods/big', 'status.conditions[0]')
        if c: break
        time.sleep(0.3)
    c = c or {}
    return '%s %s %s\n%s' % (c.get('type'), c.get('status'), c.get('reason'), c.get('message'))
def s_preempt(r):
    r.run_kubectl(['create', 'priorityclass', 'sched-hi', '--value=100000'])
    r.run_kubectl(['create', '-f', '-'], J(pod('pre', ns='sched', priorityClassName='sched-hi', containers=[{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '7800m'}}}])))
    t0 = time.time(); n = None
    while time.time() - t0 < 20:
        n = r.get('/api/v1/namespaces/sched/pods/pre', 'status.nominatedNodeName')
        if n: break
        time.sleep(0.3)
    time.sleep(0.5)
    items = r.get('/api/v1/namespaces/sched/pods')['items']
    vic = [p for p in items if 'deletionTimestamp' in p['metadata']]
    for p in vic: r.req('DELETE', '/api/v1/namespaces/sched/pods/%s?gracePeriodSeconds=0' % p['metadata']['name'])   # what a kubelet does at the end
    node = None; t0 = time.time()
    while time.time() - t0 < 30:
        node = r.get('/api/v1/namespaces/sched/pods/pre', 'spec.nodeName')
        if node: break
        time.sleep(0.3)
    return 'nominated: %s\nvictims terminating: %s\nvictims have DisruptionTarget: %s\npreemptor bound to nominated node: %s' % (bool(n), len(vic) > 0, all(any(c['type'] == 'DisruptionTarget' for c in p['status'].get('conditions', [])) for p in vic), node == n)
STEPS += [sched('sched-start-and-elect', s_start), sched('sched-50-pods-on-5-nodes', s_fifty), sched('sched-events', s_events), sched('sched-unschedulable-condition', s_unsched), sched('sched-preemption', s_preempt)]
STEPS += [
 k('ns-delete', ['delete', 'ns', N, '--wait=false']),
 k('ns-terminating', ['get', 'ns', N]),
 k('ns-terminating-rejects-create', ['create', 'cm', 'late', '-n', N]),
]
