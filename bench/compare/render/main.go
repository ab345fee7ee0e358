// SPDX-License-Identifier: Apache-2.0

// Render fills in the templates of scheduler_perf, which are Go's: one request per line on standard input,
//
//	{"path": "pod.yaml", "params": {...}, "from": 0, "count": 3}
//
// and one line of JSON with the texts on standard output for each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

type request struct {
	Path   string
	Params map[string]any
	From   int
	Count  int
}

// number is what a parameter is worth, whether it came as a number or as a text.
func number(value any) float64 {
	switch v := value.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	case string:
		if parsed, err := strconv.ParseFloat(v, 64); err == nil {
			return parsed
		}
	}
	panic(fmt.Sprintf("%v is no number", value))
}

func whole(value any) int { return int(number(value)) }

func both(operation func(a, b float64) float64) func(a, b any) float64 {
	return func(a, b any) float64 { return operation(number(a), number(b)) }
}

func bothWhole(operation func(a, b int) int) func(a, b any) int {
	return func(a, b any) int { return operation(whole(a), whole(b)) }
}

var functions = template.FuncMap{
	"Int": whole,
	"JSON": func(value any) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	},
	"Mod":           bothWhole(func(a, b int) int { return a % b }),
	"AddInt":        bothWhole(func(a, b int) int { return a + b }),
	"SubtractInt":   bothWhole(func(a, b int) int { return a - b }),
	"MultiplyInt":   bothWhole(func(a, b int) int { return a * b }),
	"DivideInt":     bothWhole(func(a, b int) int { return a / b }),
	"AddFloat":      both(func(a, b float64) float64 { return a + b }),
	"SubtractFloat": both(func(a, b float64) float64 { return a - b }),
	"MultiplyFloat": both(func(a, b float64) float64 { return a * b }),
	"DivideFloat":   both(func(a, b float64) float64 { return a / b }),
}

func render(asked request) ([]string, error) {
	text, err := os.ReadFile(asked.Path)
	if err != nil {
		return nil, err
	}
	parsed, err := template.New(filepath.Base(asked.Path)).Funcs(functions).Option("missingkey=default").Parse(string(text))
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, asked.Count)
	for index := asked.From; index < asked.From+asked.Count; index++ {
		params := map[string]any{"Index": index, "Count": asked.Count}
		for name, value := range asked.Params {
			params[name] = value
		}
		var out strings.Builder
		if err := parsed.Execute(&out, params); err != nil {
			return nil, err
		}
		texts = append(texts, out.String())
	}
	return texts, nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			log.Fatal(err)
		}
		texts, err := render(asked)
		if err != nil {
			log.Fatalf("%s: %v", asked.Path, err)
		}
		if err := answers.Encode(texts); err != nil {
			log.Fatal(err)
		}
	}
}
