#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kube-scheduler and kubectl from the Go module registry into DIR (default build/e2e/bin), or
# those that are named. Takes about five minutes on two cores the first time, and a second when they are there.
#
#   tests/e2e/servers/build.sh [DIR] [etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl ...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../../build/e2e/bin}
shift || true
names=("$@")
if ((${#names[@]} == 0)); then names=(etcd kube-apiserver kube-scheduler kubectl); fi

declare -A packages=(
  [etcd]=go.etcd.io/etcd/server/v3
  [kube-apiserver]=k8s.io/kubernetes/cmd/kube-apiserver
  [kube-controller-manager]=k8s.io/kubernetes/cmd/kube-controller-manager
  [kube-scheduler]=k8s.io/kubernetes/cmd/kube-scheduler
  [kubectl]=k8s.io/kubernetes/cmd/kubectl
)

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$here"
for name in "${names[@]}"; do
  if [[ -x $dir/$name && $dir/$name -nt go.sum ]]; then continue; fi
  echo "building $name"
  GOFLAGS=-mod=readonly CGO_ENABLED=0 go build -trimpath -o "$dir/$name" "${packages[$name]}"
done
