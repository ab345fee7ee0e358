// SPDX-License-Identifier: Apache-2.0

// Command wire-table writes src/api/wire/table.inc: how every message of the Kubernetes API looks on the wire.
//
//	go run . >../../src/api/wire/table.inc
//
// Field names, numbers and merge keys come from the struct tags of the public types; list types and scopes, which have
// no tags, from the markers in the comments above them.
package main

import (
	"bufio"
	"log"
	"os"

	"wire-table/kinds"
)

func main() {
	log.SetFlags(0)
	markers, err := loadMarkers("k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/kube-aggregator", "wire-table")
	if err != nil {
		log.Fatal(err)
	}
	all, err := kinds.All()
	if err != nil {
		log.Fatal(err)
	}
	t := newTable(markers)
	rows := t.rows(all)
	out := bufio.NewWriter(os.Stdout)
	t.write(out, rows)
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
