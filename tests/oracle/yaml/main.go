// SPDX-License-Identifier: Apache-2.0

// Command yaml makes random JSON and prints what upstream's API server and kubectl write of it as YAML, one case a line:
//
//	go run . -seed 1 -n 3 >cases.jsonl
//
// {"json": {...}, "yaml": "..."}
//
// Upstream reads the JSON as YAML first. What that breaks (U+0085 becomes a space, U+FEFF disturbs what follows) is left
// out, and so is a key << which it writes in a form that nobody can read back.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"math/rand/v2"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

type line struct {
	JSON json.RawMessage `json:"json"`
	YAML string          `json:"yaml"`
}

// Texts that YAML could take for something else, or that it cannot write as they are.
var texts = []string{
	"", " ", ".", "..", "...", "-", "--", "---", "--- a", "- a", "-a", "?", "? a", "?a", ":", ": a", ":a", "a:", "a: b", "a:b", "a #b", "a#b", "#a",
	"~", "null", "Null", "NULL", "nULL", "true", "True", "TRUE", "tRUE", "false", "yes", "Yes", "no", "NO", "on", "Off", "y", "Y", "n", "N",
	"0", "00", "007", "08", "0o7", "0x1F", "0xg", "0b11", "0b12", "-0", "+1", "1_000", "_1", "1.", ".5", "1e3", "1e", "1.5.2", "+.inf", ".inf", "-.INF", ".nan", ".NaN",
	"12:30", "1:60", "190:20:30", "1:2:3.4", "-1:30", "1_0:30", "a1:30",
	"2020-01-01", "2020-1-1", "2020-13-01", "2020-02-30", "20200101", "2020-01", "2020-01-01T00:00:00Z", "2020-01-01t00:00:00z", "2020-01-01T00:00:00.5+01:00",
	"2020-01-01 00:00:00", "2020-01-01 0:0:0", "2020-01-01T0:0:0Z", "2020-01-01T24:00:00Z", "2020-01-01T00:00:00", "2020-01-01T00:00:00.000000Z", "2020-01-01x",
	"<<", "=", "!", "!x", "&", "&a", "*", "*a", "%", "%a", "@", "@a", "`a", "{", "{}", "{a", "[", "[]", "]", "}", ",", ",a", "a,b", "|", ">", "|a", "'", "'a'", "it's", "\"", "\"a\"", "a\"b",
	" a", "a ", "a  b", "\ta", "a\t", "a\tb", "\n", "a\n", "\na", "a\nb", "a\n\nb", "a\n\n", " a\nb", "a\n b", "a \nb", "a\n\n\n", "\ta\nb", "a\r\nb", "a\rb", "a\n---\nb", "# a\nb", "a: b\nc: d\n",
	"é", "日本語", "😀", "a\u00a0b", "a\u2028b", "\u0001", "a\u007fb", "\\", "a\\b", "\\n", "\u001b[0m", "é\nà",
	"k8s.io/a", "a/b", "a=b", "a b", "100m", "1Gi", "10%", "-c", "--flag=x", "$(VAR)", "${x}", "/bin/sh", "sha256:abc", "nginx:1.27", "10.0.0.1", "fd00::1", "::", "1.2.3", "v1", "*/5 * * * *", "0 * * * *", "@hourly",
}

var words = []string{"the", "pod", "does", "not", "fit", "node:", "0/5", "nodes", "#1", "a-very-long-word-that-never-ends", "x", "'quoted'", "\"so\"", "is", "available,", "insufficient", "cpu."}

var keys = []string{
	"a", "b", "A", "a1", "a2", "a10", "a01", "a-b", "a_b", "a.b", "a/b", "ab", "10", "9", "010", "apiVersion", "kind", "metadata", "f:metadata", ".", "k:{\"name\":\"a\"}", "v:1",
	"key-1", "key-10", "key-2", "key.1", "key1.2", "key1.10", "é", "Z", "z", "", "y", "null", "1.5", "a b", "a:", "# a", "-", "- a", "kubernetes.io/hostname", "app.kubernetes.io/name",
}

type maker struct{ *rand.Rand }

func (m maker) text() string {
	switch m.IntN(5) {
	case 0:
		return m.sentence(" ", 4+m.IntN(40))
	case 1:
		return m.sentence([]string{"\n", " \n", "\n  ", "  "}[m.IntN(4)], 2+m.IntN(25))
	default:
		return texts[m.IntN(len(texts))]
	}
}

func (m maker) sentence(separator string, count int) string {
	parts := make([]string, count)
	for i := range parts {
		parts[i] = words[m.IntN(len(words))]
	}
	return strings.Join(parts, separator)
}

func (m maker) key() string {
	if m.IntN(30) == 0 {
		return strings.Repeat("k", 120+m.IntN(20))
	}
	return keys[m.IntN(len(keys))]
}

func (m maker) value(depth int) any {
	kind := m.IntN(12)
	if depth == 0 && kind < 5 {
		kind += 5
	}
	switch {
	case kind < 3:
		object := map[string]any{}
		for range m.IntN(6) {
			object[m.key()] = m.value(depth - 1)
		}
		return object
	case kind < 5:
		list := make([]any, m.IntN(4))
		for i := range list {
			list[i] = m.value(depth - 1)
		}
		return list
	case kind == 5:
		return nil
	case kind == 6:
		return m.IntN(2) == 0
	case kind == 7:
		return []json.Number{"0", "1", "-1", "80", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1.5", "0.1", "1e3", "1.0", "1e21", "1e-7", "123456789.5", "1234567890123456789012"}[m.IntN(15)]
	default:
		return m.text()
	}
}

func encode(value any) (line, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return line{}, err
	}
	made, err := yaml.JSONToYAML(text)
	return line{text, string(made)}, err
}

func main() {
	seed := flag.Uint64("seed", 1, "of the random numbers")
	count := flag.Int("n", 100, "how many random trees")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	write := func(value any) {
		made, err := encode(value)
		if err != nil {
			return // Upstream reads JSON as YAML, and there is some that it cannot read.
		}
		if err := json.NewEncoder(out).Encode(made); err != nil {
			log.Fatal(err)
		}
	}
	for _, text := range texts {
		object := map[string]any{"text": text, "list": []string{text}}
		if text != "<<" {
			object[text] = 1
		}
		write(object)
	}
	m := maker{rand.New(rand.NewPCG(*seed, 1))}
	for range *count {
		write(map[string]any{m.key(): m.value(4), m.key(): m.value(3)})
	}
}
