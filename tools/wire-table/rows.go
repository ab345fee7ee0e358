// SPDX-License-Identifier: Apache-2.0

package main

import (
	"wire-table/kinds"

	"k8s.io/apimachinery/pkg/api/meta"
)

// A kind as a row of the table.
type row struct {
	apiVersion, name, list, plural string
	namespaced                     bool
	message                        int
}

// rows adds the messages of all kinds.
func (t *table) rows(all []kinds.Kind) []row {
	known := map[string]bool{}
	for _, k := range all {
		known[k.Version.String()+" "+k.Name] = true
	}
	var rows []row
	for _, k := range all {
		r := row{apiVersion: k.Version.String(), name: k.Name, message: t.add(k.Type)}
		if known[r.apiVersion+" "+k.Name+"List"] {
			r.list = k.Name + "List"
		}
		if place := placeOf(k.Type); t.markers.has(place, "genclient") {
			plural, _ := meta.UnsafeGuessKindToResource(k.Version.WithKind(k.Name))
			r.plural = plural.Resource
			r.namespaced = !t.markers.has(place, "genclient:nonNamespaced")
		}
		rows = append(rows, r)
	}
	return rows
}
