#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conformance runner: replays kubectl/HTTP/watch/scheduler steps against an API server and compares
normalised output with goldens recorded from a real kube-apiserver.  Python standard library only."""
import argparse, base64, concurrent.futures, datetime, difflib, functools, gzip, http.client, importlib.util, json, os, re
import shutil, signal, subprocess, sys, tempfile, threading, time, urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
PB = 'application/vnd.kubernetes.protobuf'

# ------------------------------------------------------------------ step constructors (used by step files)
def k(name, args, stdin=None, **o):
    """kubectl step; args is a shell-like string or a list."""
    import shlex
    return dict(kind='kubectl', name=name, args=shlex.split(args) if isinstance(args, str) else args, stdin=stdin, **o)
def h(name, method, path, body=None, **o):
    """HTTP step.  body: dict (sent as JSON) or str/bytes."""
    return dict(kind='http', name=name, method=method, path=path, body=body, **o)
def w(name, path, actions, n, **o):
    """watch step: open watch, run actions (list of steps, not compared), stop after n events or max_s."""
    return dict(kind='watch', name=name, path=path, actions=actions, n=n, **o)
def sched(name, fn, **o):
    """step that needs the real kube-scheduler binary; fn(runner) -> text."""
    return dict(kind='sched', name=name, fn=fn, **o)
def py(name, fn, **o):
    """free-form step; fn(runner) -> text."""
    return dict(kind='py', name=name, fn=fn, **o)

# ------------------------------------------------------------------ normalisation
UUID = re.compile(r'\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b')
RFC = re.compile(r'\b(20\d\d)-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?Z')
LONG = re.compile(r'\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} (20\d\d) \d\d:\d\d:\d\d [+-]\d{4}')
AGE = re.compile(r'(?<![\w.:/-])(\d+y)?(\d+d)?(\d+h)?(\d+m)?(\d+(\.\d+)?s)?(?<=[smhdy])(?=\s|$|\))')
NOW = datetime.datetime.now(datetime.timezone.utc)

def near(y, m=None, d=None):
    """A timestamp counts as 'made during the run' when it is not one of the fixed ones in manifests (2020)."""
    return int(y) >= 2024

def norm_text(s, age=False):
    s = s.replace('\r', '')
    s = UUID.sub('<uid>', s)
    s = RFC.sub(lambda m: '<time>' if near(m[1]) else m[0], s)
    s = LONG.sub(lambda m: '<time>' if near(m[2]) else m[0], s)
    s = re.sub(r'(deleted) from [\w-]+ namespace', r'\1', s)   # newer kubectl adds this
    s = re.sub(r'(resourceVersion"?: )"?\d+"?', r'\1"<rv>"', s)
    if age == 'describe':   # only ages in event rows and in the last column of wide rows; quantities such as 100m stay
        s = re.sub(r'^(\s+(?:Normal|Warning)\s+\S+\s+)\d+\w*( \(x\d+ over \w+\))?', r'\1<age>', s, flags=re.M)
        s = '\n'.join(re.sub(r'\d+[smhd]\w*$', '<age>', l) if len(re.split(r'\s{2,}', l.strip())) > 3 else l for l in s.split('\n'))
    elif age:
        s = AGE.sub(lambda m: '<age>' if m[0] else '', s)
    if age:
        s = re.sub(r'[ \t]{2,}', '  ', s)
        s = re.sub(r'-{3,}', '---', s)
    return '\n'.join(l.rstrip() for l in s.split('\n')).strip('\n')

def strip_mf(o):
    if isinstance(o, dict):
        o.pop('managedFields', None)
        for v in o.values(): strip_mf(v)
    elif isinstance(o, list):
        for v in o: strip_mf(v)

def norm_json(o):
    if isinstance(o, dict):
        out = {}
        for kk in sorted(o):
            v = o[kk]
            if kk == 'resourceVersion' and isinstance(v, str): v = '<rv>' if v.isdigit() and v != '0' else v
            elif kk == 'continue' and isinstance(v, str): v = '<continue>' if v else v
            elif kk == 'time' and isinstance(v, str) and RFC.match(v): v = '<time>'
            else: v = norm_json(v)
            if kk == 'managedFields' and isinstance(v, list):   # the server orders equal operations by time; that depends on second boundaries
                v = sorted(v, key=lambda e: (e.get('operation', ''), e.get('manager', ''), e.get('subresource', '')))
            out[kk] = v
        return out
    if isinstance(o, list): return [norm_json(v) for v in o]
    if isinstance(o, str): return norm_text(o) if o else o
    return o

def dump(o): return json.dumps(o, indent=1, sort_keys=True)

def pick(o, path):
    """tiny path language: a.b[0].c, [*] maps over lists, keys with dots as a."b.c" """
    toks = re.findall(r'"([^"]+)"|\[(\*|\d+)\]|([^.\[\]"]+)', path)
    cur = [o]; multi = False
    for q, i, n in toks:
        key = q or n; nxt = []
        for c in cur:
            if i == '*':
                multi = True
                if isinstance(c, list): nxt += c
            elif i:
                if isinstance(c, list) and int(i) < len(c): nxt.append(c[int(i)])
            elif isinstance(c, dict) and key in c: nxt.append(c[key])
        cur = nxt
    return cur if multi else (cur[0] if cur else None)

# ------------------------------------------------------------------ generic protobuf reader (no schema)
def pb_fields(b):
    i, out = 0, []
    def varint():
        nonlocal i
        r = s = 0
        while True:
            c = b[i]; i += 1
            r |= (c & 127) << s; s += 7
            if not c & 128: return r
    while i < len(b):
        t = varint(); f, wt = t >> 3, t & 7
        if f == 0: raise ValueError
        if wt == 0: out.append((f, varint()))
        elif wt == 2:
            n = varint()
            if i + n > len(b): raise ValueError
            out.append((f, b[i:i + n])); i += n
        elif wt == 1: out.append((f, b[i:i + 8])); i += 8
        elif wt == 5: out.append((f, b[i:i + 4])); i += 4
        else: raise ValueError
    return out
def pb_tree(b):
    """decode to nested lists, dropping proto zero values so that 'unset' and 'default' compare equal"""
    out = []
    for f, v in pb_fields(b):
        if isinstance(v, int):
            if v: out.append([f, '<time>' if 1.7e9 < v < 2.5e9 else v])
        else:
            try:
                s = v.decode()
                if all(c.isprintable() or c in '\n\t' for c in s):
                    if s: out.append([f, norm_text(s)])
                    continue
            except UnicodeDecodeError: pass
            try: t = pb_tree(v)
            except (ValueError, IndexError): t = '<bytes>'
            if t: out.append([f, t])
    out.sort(key=lambda x: x[0])
    return out
def pb_unknown(b):
    """k8s\\0 + runtime.Unknown{typeMeta{apiVersion,kind}, raw, contentEncoding, contentType}"""
    if b[:4] != b'k8s\0': return None
    r = {'apiVersion': '', 'kind': '', 'raw': b''}
    for f, v in pb_fields(b[4:]):
        if f == 1:
            for g, x in pb_fields(v):
                if g == 1: r['apiVersion'] = x.decode()
                if g == 2: r['kind'] = x.decode()
        elif f == 2: r['raw'] = v
    return r
def pb_enc(f, v):
    """encode helper for request bodies"""
    def vi(n):
        o = b''
        while True:
            c = n & 127; n >>= 7
            o += bytes([c | (128 if n else 0)])
            if not n: return o
    if isinstance(v, str): v = v.encode()
    if isinstance(v, bool): v = int(v)
    if isinstance(v, int): return vi(f << 3) + vi(v)
    return vi(f << 3 | 2) + vi(len(v)) + v
def pb_wrap(api, kind, raw): return b'k8s\0' + pb_enc(1, pb_enc(1, api) + pb_enc(2, kind)) + pb_enc(2, raw)

# ------------------------------------------------------------------ runner
class Runner:
    def __init__(s, a):
        s.a = a; s.tmp = tempfile.mkdtemp(prefix='apiconf-'); s.proxy = None; s.sched = None; s.vars = {}
        s.kc = a.kubeconfig
        if not s.kc:
            s.kc = os.path.join(s.tmp, 'kubeconfig')
            json.dump({'apiVersion': 'v1', 'kind': 'Config', 'clusters': [{'name': 'c', 'cluster': {'server': a.server}}],
                       'contexts': [{'name': 'c', 'context': {'cluster': 'c', 'user': 'u'}}], 'users': [{'name': 'u', 'user': {}}], 'current-context': 'c'}, open(s.kc, 'w'))
        s.env = {'HOME': s.tmp, 'PATH': os.environ.get('PATH', ''), 'KUBECONFIG': s.kc, 'KUBECACHEDIR': os.path.join(s.tmp, 'cache'), 'LC_ALL': 'C', 'TZ': 'UTC', 'KUBECTL_EXTERNAL_DIFF': 'diff -u -N'}
        s.url = a.server
        if not s.url:
            s.proxy = subprocess.Popen([s.kubectl, '--kubeconfig', s.kc, 'proxy', '--port=0', '--reject-paths=^$'], stdout=subprocess.PIPE, text=True)
            s.url = 'http://' + s.proxy.stdout.readline().split(' on ')[1].strip()
        u = urllib.parse.urlparse(s.url); s.host, s.port = u.hostname, u.port or 80
    @functools.cached_property
    def kubectl(s): return s.a.kubectl or s.find_kubectl()
    @staticmethod
    def find_kubectl():
        """Some distributions ship a dispatcher which picks another kubectl by server version; pin the version used for the goldens."""
        p = shutil.which('kubectl')
        if not p: sys.exit('kubectl not found; use --kubectl')
        pinned = os.path.join(os.path.dirname(os.path.realpath(p)), 'kubectl.1.32')
        return pinned if os.path.exists(pinned) else p
    def close(s):
        for p in (s.sched, s.proxy):
            if p and p.poll() is None:
                p.terminate()
                try: p.wait(10)
                except subprocess.TimeoutExpired: p.kill()
        shutil.rmtree(s.tmp, ignore_errors=True)
    # -- primitives
    def sub(s, v):
        return re.sub(r'\$\{(\w+)\}', lambda m: str(s.vars.get(m[1], m[0])), v) if isinstance(v, str) else v
    def run_kubectl(s, args, stdin=None, timeout=None):
        timeout = timeout or s.a.timeout
        try:
            p = subprocess.run([s.kubectl] + [s.sub(x) for x in args], input=s.sub(stdin), capture_output=True, text=True, env=s.env, timeout=timeout, cwd=s.tmp)
            return p.returncode, p.stdout, p.stderr
        except subprocess.TimeoutExpired as e:
            return 124, (e.stdout or b'').decode(), (e.stderr or b'').decode() + 'TIMEOUT'
    def req(s, method, path, body=None, accept='application/json', ctype=None, headers=None, timeout=None):
        c = http.client.HTTPConnection(s.host, s.port, timeout=timeout or s.a.timeout)
        hd = {'Accept': accept, 'User-Agent': 'apiconf/1'}
        if isinstance(body, (dict, list)): body = json.dumps(body)
        if isinstance(body, str): body = s.sub(body).encode()
        if body is not None: hd['Content-Type'] = ctype or 'application/json'
        hd.update(headers or {})
        c.request(method, s.sub(path), body=body, headers=hd)
        r = c.getresponse(); data = r.read(); c.close()
        return r.status, {n.lower(): ', '.join(r.headers.get_all(n)) for n in r.headers}, data
    def patient_req(s, st):
        """The request of a step; again while what it waits for is not there yet."""
        ask = lambda: s.req(st['method'], st['path'], st.get('body'), st.get('accept', 'application/json'), st.get('ctype'), st.get('headers'))
        end = time.monotonic() + s.a.timeout; answer = ask()
        while st.get('until') and time.monotonic() < end and not st['until'](answer[0], json.loads(answer[2]) if answer[2][:1] == b'{' else {}):
            time.sleep(0.01); answer = ask()
        if s.a.record and st.get('settles'):   # parts of kube-apiserver learn of things one after the other
            time.sleep(st['settles']); answer = ask()
        return answer
    def get(s, path, p=None):
        st, _, d = s.req('GET', path)
        o = json.loads(d); return pick(o, p) if p else o
    # -- step kinds
    def do(s, st):
        return getattr(s, 'do_' + st['kind'])(st)
    def post(s, st, o, is_json):
        """apply step options to a JSON value or text and return normalised text"""
        if is_json:
            if not st.get('mf'): strip_mf(o)
            if st.get('save'):
                for n, p in st['save'].items(): s.vars[n] = pick(o, p)
            if st.get('proj'): o = st['proj'](o)
            if st.get('pick'): o = {p: pick(o, p) for p in st['pick']}
            if st.get('drop'):
                for p in st['drop']:
                    par, _, leaf = p.rpartition('.'); t = pick(o, par) if par else o
                    for x in (t if isinstance(t, list) else [t]):
                        if isinstance(x, dict): x.pop(leaf, None)
            return dump(norm_json(o))
        return norm_text(o)
    def do_kubectl(s, st):
        for n, v in (st.get('set') or {}).items(): s.vars[n] = v(s)
        rc, out, err = s.run_kubectl(st['args'], st.get('stdin'), st.get('timeout'))
        if st.get('json'):
            try: body = s.post(st, json.loads(out), True)
            except ValueError: body = norm_text(out)
        else:
            if st.get('keep'): out = '\n'.join(l for l in out.split('\n') if re.search(st['keep'], l))
            if st.get('omit'): out = '\n'.join(l for l in out.split('\n') if not re.search(st['omit'], l))
            age = st.get('age')
            if age is None: age = (st['args'][0] in ('get', 'events', 'describe', 'api-resources')) and not any(x in ('yaml', '-oyaml', '-ojson') or x.startswith('jsonpath') for x in st['args'])
            if age and st['args'][0] == 'describe': age = 'describe'
            body = norm_text(out, age)
            for a, b in st.get('re', []): body = re.sub(a, b, body, flags=re.M)
        err = norm_text(err)
        err = '\n'.join(l for l in err.split('\n') if not re.match(r'[EIW]\d{4} ', l))
        for a, b in st.get('re', []): err = re.sub(a, b, err, flags=re.M)
        return 'rc=%d\n%s%s' % (rc, body, ('\n[stderr]\n' + err) if err else '')
    def do_http(s, st):
        for n, v in (st.get('set') or {}).items(): s.vars[n] = v(s)
        code, hd, data = s.patient_req(st)
        ct = hd.get('content-type', '')
        lines = ['HTTP %d' % code, 'content-type: ' + ct]
        for x in st.get('show_headers', []): lines.append('%s: %s' % (x, norm_text(hd.get(x, '<absent>'))))
        if st.get('body_is') == 'ignore': body = ''
        elif ct.startswith('application/json') or (data[:1] == b'{' and ct.startswith('text/plain')):
            body = s.post(st, json.loads(data), True) if data else ''
        elif ct.startswith(PB):
            u = pb_unknown(data)
            if u is None: body = 'no k8s\\0 prefix'
            else:
                tree = pb_tree(u['raw'])
                for f, v in tree:   # ObjectMeta is field 1 of every object: hide resourceVersion, drop managedFields
                    if f == 1 and isinstance(v, list): v[:] = [[g, '<rv>' if g == 6 else x] for g, x in v if g != 17]
                if st.get('pbproj'): tree = st['pbproj'](tree)
                body = dump({'apiVersion': u['apiVersion'], 'kind': u['kind'], 'raw': tree})
        else: body = norm_text(data.decode('utf8', 'replace'))
        for a, b in st.get('re', []): body = re.sub(a, b, body, flags=re.M)
        return '\n'.join(lines + [body])
    def watch(s, path, n, max_s, accept, opened=None):
        """returns (status, [events]); reads JSON lines until n non-bookmark events, EOF or max_s"""
        c = http.client.HTTPConnection(s.host, s.port, timeout=max_s)
        c.request('GET', s.sub(path), headers={'Accept': accept})
        r = c.getresponse(); evs = []; t0 = time.time(); buf = b''
        if opened: opened.set()
        if r.status != 200: return r.status, [json.loads(r.read())]
        try:
            while len(evs) < n and time.time() - t0 < max_s:
                c.sock and c.sock.settimeout(max(0.1, max_s - (time.time() - t0)))
                ch = r.readline()
                if not ch: break
                e = json.loads(ch)
                if e['type'] == 'BOOKMARK' and 'k8s.io/initial-events-end' not in (pick(e, 'object.metadata.annotations') or {}): continue
                evs.append(e)
        except (TimeoutError, OSError): pass
        c.close(); return r.status, evs
    def do_watch(s, st):
        for n, v in (st.get('set') or {}).items(): s.vars[n] = v(s)
        opened = threading.Event(); res = {}
        t = threading.Thread(target=lambda: res.update(zip(('st', 'ev'), s.watch(st['path'], st['n'], st.get('max_s', 8), st.get('accept', 'application/json'), opened))))
        t.start(); opened.wait(10); time.sleep(0.3)
        for a in st['actions']:
            s.do(a); time.sleep(st.get('gap', 0.05))
        t.join()
        proj = st.get('ev') or (lambda e: ['%s %s/%s' % (e['type'], pick(e, 'object.kind'), pick(e, 'object.metadata.name') or '')] + [pick(e, 'object.' + p) for p in st.get('show', [])])
        evs = res.get('ev', [])
        for e in evs:
            if not st.get('mf'): strip_mf(e)
        if st.get('sort'): evs = sorted(evs, key=lambda e: (e['type'] == 'BOOKMARK', e['type'], pick(e, 'object.metadata.name') or ''))
        return 'HTTP %s\n' % res.get('st') + '\n'.join(json.dumps(norm_json(proj(e)), sort_keys=True) for e in evs)
    def do_py(s, st): return st['fn'](s)
    def do_sched(s, st):
        if not s.a.scheduler: return None
        return st['fn'](s)
    def stop_scheduler(s):
        if s.sched:
            s.sched.terminate()
            try: s.sched.wait(10)
            except subprocess.TimeoutExpired: s.sched.kill(); s.sched.wait()
            s.sched = None
    def start_scheduler(s):
        if s.sched: return
        cfg = ['--kubeconfig', s.kc, '--bind-address', '127.0.0.1', '--secure-port', '0', '--leader-elect=true', '-v=2'] + (s.a.scheduler_arg or [])
        s.schedlog = open(os.path.join(s.tmp, 'sched.log'), 'w')
        s.sched = subprocess.Popen([s.a.scheduler] + cfg, stdout=s.schedlog, stderr=s.schedlog, env=s.env, cwd=s.tmp)

def load(setname):
    d = os.path.join(HERE, setname)
    f = os.path.join(d, 'steps.py')
    if not os.path.exists(f): return None
    spec = importlib.util.spec_from_file_location('steps_' + setname, f)
    m = importlib.util.module_from_spec(spec)
    for n in ('k', 'h', 'w', 'sched', 'py', 'pick', 'dump', 'norm_text', 'norm_json', 'strip_mf', 'PB', 'pb_enc', 'pb_wrap', 'pb_unknown', 'pb_tree', 'pb_fields', 'json', 're', 'time'):
        setattr(m, n, globals()[n])
    spec.loader.exec_module(m)
    return m.STEPS

def read_golden(setname):
    """Where the answers of a set are, compressed or not, and the answers."""
    for name, opened in (('golden.json', open), ('golden.json.gz', gzip.open)):
        f = os.path.join(HERE, setname, name)
        if os.path.exists(f):
            with opened(f, 'rt', encoding='utf-8') as text: return f, json.load(text)['steps']
    return f, {}

def read_open(setname):
    """The steps that are known to be answered differently, so that nobody needs to look for them twice."""
    f = os.path.join(HERE, setname, 'open.txt')
    if not os.path.exists(f): return set()
    with open(f, encoding='utf-8') as text: return {l.strip() for l in text if l.strip() and l[0] != '#'}

def write_golden(f, golden):
    text = json.dumps(golden, indent=1).encode()
    with open(f, 'wb') as out: out.write(gzip.compress(text, mtime=0) if f.endswith('.gz') else text)

def check_empty(r):
    bad = []
    ns = sorted(r.get('/api/v1/namespaces', 'items[*].metadata.name') or [])
    if ns != ['default', 'kube-node-lease', 'kube-public', 'kube-system']: bad.append('namespaces: %s' % ns)
    for p in ('nodes', 'pods', 'persistentvolumes', 'persistentvolumeclaims'):
        n = len(r.get('/api/v1/' + p, 'items[*].metadata.name') or [])
        if n: bad.append('%d %s' % (n, p))
    return bad

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--server', help='plain HTTP address of the server under test, e.g. http://127.0.0.1:8001')
    ap.add_argument('--kubeconfig', help='use this kubeconfig (HTTP steps then go through "kubectl proxy")')
    ap.add_argument('--kubectl'); ap.add_argument('--scheduler', help='path of a real kube-scheduler binary; its steps are skipped without it')
    ap.add_argument('--scheduler-arg', action='append', help='extra argument for the scheduler (repeatable)')
    ap.add_argument('--set', choices=('public', 'custom'), default='public', help='the folder that has the steps')
    ap.add_argument('--record', action='store_true', help='write goldens instead of comparing')
    ap.add_argument('--only', help='regular expression on step names; setup steps still run, only these are compared')
    ap.add_argument('--list', action='store_true'); ap.add_argument('--force', action='store_true', help='run even when the server is not empty')
    ap.add_argument('--timeout', type=int, default=20, help='seconds allowed for one request or kubectl call');
    ap.add_argument('--diff-lines', type=int, default=40); ap.add_argument('--json', help='write a result file'); ap.add_argument('-v', action='store_true')
    a = ap.parse_args()
    for x in ('kubeconfig', 'kubectl', 'scheduler'):   # steps run in a scratch directory
        v = getattr(a, x)
        if v and os.path.exists(v): setattr(a, x, os.path.abspath(v))
    sets = [a.set]
    if a.list:
        for sn in sets:
            for i, st in enumerate(load(sn) or []): print('%s %03d %-7s %s' % (sn, i + 1, st['kind'], st['name']))
        return 0
    if not (a.server or a.kubeconfig): ap.error('--server or --kubeconfig is required')
    r = Runner(a); ok = fail = skip = dead = differ = 0; results = []; t00 = time.time()
    try:
        try: bad = check_empty(r)
        except Exception as e: bad = ['cannot list: %s' % e]
        if bad and not a.force:
            print('server is not empty: ' + '; '.join(bad)); return 2
        for sn in sets:
            steps = load(sn)
            names = [st['name'] for st in steps]; assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
            gf, gold = read_golden(sn); known = read_open(sn)
            assert known <= set(names), 'steps in open.txt that are not there: %s' % sorted(known - set(names))
            new = {}
            for i, st in enumerate(steps):
                t0 = time.time()
                try: out = r.do(st)
                except Exception as e:
                    out = 'EXCEPTION %s: %s' % (type(e).__name__, e)
                dead = dead + 1 if out is not None and out.startswith('EXCEPTION ConnectionRefused') else 0
                tag = '%s %03d %s' % (sn, i + 1, st['name'])
                if dead > 5:
                    fail += len(steps) - i; print('server refuses connections; giving up'); break
                if out is None:
                    skip += 1; results.append((tag, 'skip')); print('SKIP', tag); continue
                new[st['name']] = out
                if st.get('setup') or (a.only and not re.search(a.only, st['name'])):
                    continue
                if a.record:
                    ok += 1
                    if out.startswith('EXCEPTION') or a.v: print('REC ', tag, '%.1fs' % (time.time() - t0), out[:200] if out.startswith('EXC') else '')
                elif st['name'] in known:
                    if gold.get(st['name']) == out: fail += 1; print('FAIL', tag, 'is answered as recorded, but stands in open.txt')
                    else: differ += 1; results.append((tag, 'open'))
                elif gold.get(st['name']) == out:
                    ok += 1; results.append((tag, 'pass'))
                    if a.v: print('ok  ', tag, '%.1fs' % (time.time() - t0))
                else:
                    fail += 1; results.append((tag, 'fail')); print('FAIL', tag)
                    d = list(difflib.unified_diff((gold.get(st['name']) or '<no golden>').split('\n'), out.split('\n'), 'golden', 'got', lineterm='', n=2))
                    for l in d[2:2 + a.diff_lines]: print('     ' + l[:300])
                    if len(d) > a.diff_lines + 2: print('     ... %d more diff lines' % (len(d) - a.diff_lines - 2))
            r.stop_scheduler()
            if a.record:
                by = {'server': pick(r.get('/version'), 'gitVersion')}
                if any(st['kind'] == 'kubectl' for st in steps): by['kubectl'] = pick(json.loads(r.run_kubectl(['version', '--client', '-o', 'json'])[1]), 'clientVersion.gitVersion')
                write_golden(gf, {'recordedWith': by, 'steps': new})
                print('recorded %d steps in %s' % (len(new), gf))
    finally:
        r.close()
    if a.json: json.dump({'passed': ok, 'failed': fail, 'skipped': skip, 'steps': results}, open(a.json, 'w'), indent=1)
    print('%d passed, %d failed%s (%.0f s)' % (ok, fail, (', %d skipped' % skip if skip else '') + (', %d open' % differ if differ else ''), time.time() - t00))
    return 1 if fail else 0

if __name__ == '__main__': sys.exit(main())
