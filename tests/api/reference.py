#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a real etcd + kube-apiserver on loopback behind a small TLS-terminating proxy, so that the suite
can be recorded or re-checked against the original.  Example:
   reference.py --bin-dir DIR -- python3 run.py --server {url} --scheduler DIR/kube-scheduler
{url} speaks for an administrator, {secure} asks who is there. Without a command it prints the URL and waits for Ctrl-C.  Standard library plus the openssl program."""
import argparse, asyncio, os, shutil, signal, socket, ssl, subprocess, sys, tempfile, threading, time, urllib.request

import logging; logging.getLogger('asyncio').setLevel(logging.CRITICAL + 1)

def free():
    s = socket.socket(); s.bind(('127.0.0.1', 0)); p = s.getsockname()[1]; s.close(); return p
def sh(*a, cwd): subprocess.run(a, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
async def pump(rd, wr):
    try:
        while True:
            d = await rd.read(65536)
            if not d: break
            wr.write(d); await wr.drain()
    except (OSError, ssl.SSLError): pass
    finally:
        try: wr.close()
        except OSError: pass
async def forward(port, sec, ctx, ready):
    async def conn(rd, wr):
        try: ur, uw = await asyncio.open_connection('127.0.0.1', sec, ssl=ctx, server_hostname='127.0.0.1')
        except OSError: wr.close(); return
        await asyncio.gather(pump(rd, uw), pump(ur, wr), return_exceptions=True)
    s = await asyncio.start_server(conn, '127.0.0.1', port, backlog=256)
    ready.set()
    await s.serve_forever()
def main():
    ap = argparse.ArgumentParser(); ap.add_argument('--bin-dir', required=True); ap.add_argument('--port', type=int, default=0); ap.add_argument('--apiserver-arg', action='append', default=[]); ap.add_argument('cmd', nargs=argparse.REMAINDER)
    a = ap.parse_args(); d = tempfile.mkdtemp(prefix='reference-'); procs = []
    try:
        sh('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '30', '-subj', '/CN=ca', cwd=d)
        for n, subj in (('server', '/CN=kube-apiserver'), ('admin', '/O=system:masters/CN=admin')):
            sh('openssl', 'req', '-newkey', 'rsa:2048', '-nodes', '-keyout', n + '.key', '-out', n + '.csr', '-subj', subj, cwd=d)
            open(d + '/ext', 'w').write('subjectAltName=IP:127.0.0.1,DNS:localhost\n')
            sh('openssl', 'x509', '-req', '-in', n + '.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-out', n + '.crt', '-days', '30', '-extfile', 'ext', cwd=d)
        sh('openssl', 'genrsa', '-out', 'sa.key', '2048', cwd=d)
        sh('openssl', 'rsa', '-in', 'sa.key', '-pubout', '-out', 'sa.pub', cwd=d)
        e, pe, sec, port = free(), free(), free(), a.port or free()
        log = open(d + '/log', 'w')
        b = os.path.abspath(a.bin_dir)
        procs.append(subprocess.Popen([b + '/etcd', '--data-dir', d + '/etcd', '--name', 'n', '--listen-client-urls', 'http://127.0.0.1:%d' % e, '--advertise-client-urls', 'http://127.0.0.1:%d' % e, '--listen-peer-urls', 'http://127.0.0.1:%d' % pe, '--initial-advertise-peer-urls', 'http://127.0.0.1:%d' % pe, '--initial-cluster', 'n=http://127.0.0.1:%d' % pe, '--unsafe-no-fsync'], stdout=log, stderr=log, start_new_session=True))
        procs.append(subprocess.Popen([b + '/kube-apiserver', '--etcd-servers', 'http://127.0.0.1:%d' % e, '--bind-address', '127.0.0.1', '--advertise-address', '127.0.0.1', '--secure-port', str(sec), '--tls-cert-file', d + '/server.crt', '--tls-private-key-file', d + '/server.key', '--client-ca-file', d + '/ca.crt', '--service-account-key-file', d + '/sa.pub', '--service-account-signing-key-file', d + '/sa.key', '--service-account-issuer', 'https://kubernetes.default.svc', '--service-cluster-ip-range', '10.0.0.0/24', '--disable-admission-plugins', 'ServiceAccount', '--endpoint-reconciler-type', 'none', '--cert-dir', d + '/certs'] + ([] if any(x.startswith('--authorization-mode') for x in a.apiserver_arg) else ['--authorization-mode', 'AlwaysAllow']) + a.apiserver_arg, stdout=log, stderr=log, start_new_session=True))
        ctx = ssl.create_default_context(cafile=d + '/ca.crt'); ctx.load_cert_chain(d + '/admin.crt', d + '/admin.key')
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(forward(port, sec, ctx, ready)), daemon=True).start(); ready.wait(10)
        url = 'http://127.0.0.1:%d' % port
        for _ in range(240):
            try:
                if urllib.request.urlopen(url + '/readyz', timeout=2).read() == b'ok' and all(n in urllib.request.urlopen(url + '/api/v1/namespaces', timeout=2).read() for n in (b'"default"', b'"kube-system"', b'"kube-public"', b'"kube-node-lease"')): break
            except OSError: pass
            time.sleep(0.25)
        else: sys.exit('the reference server did not become ready; see ' + d + '/log')
        cmd = [x.replace('{url}', url).replace('{secure}', 'https://127.0.0.1:%d' % sec) for x in a.cmd if x != '--']
        if cmd: return subprocess.call(cmd)
        print(url, flush=True); signal.pause()
    except KeyboardInterrupt: return 0
    finally:
        for p in reversed(procs):
            p.terminate()
            try: p.wait(8)
            except subprocess.TimeoutExpired: p.kill(); p.wait()
        shutil.rmtree(d, ignore_errors=True)
if __name__ == '__main__': sys.exit(main())
