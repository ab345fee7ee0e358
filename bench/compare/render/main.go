// SPDX-License-Identifier: Apache-2.0

// Render reads the YAML of scheduler_perf and fills in its templates, which are Go's: one request per line on standard input,
//
//	{"path": "pod.yaml", "params": {...}, "from": 0, "count": 3}
//
// and one line of JSON with the objects on standard output for each. With a count of zero the file is no template, and
// the line is what it says.
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

	"sigs.k8s.io/yaml"
)

type request struct {
	Path   string
	Params map[string]any
	From   int
	Count  int
	Total  int // What templates take for the count.
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

func render(asked request) (any, error) {
	text, err := os.ReadFile(asked.Path)
	if err != nil {
		return nil, err
	}
	if asked.Count == 0 {
		var content any
		err := yaml.Unmarshal(text, &content)
		return content, err
	}
	parsed, err := template.New(filepath.Base(asked.Path)).Funcs(functions).Option("missingkey=default").Parse(string(text))
	if err != nil {
		return nil, err
	}
	objects := make([]any, asked.Count)
	for index := asked.From; index < asked.From+asked.Count; index++ {
		params := map[string]any{"Index": index, "Count": asked.Total}
		for name, value := range asked.Params {
			params[name] = value
		}
		var out strings.Builder
		if err := parsed.Execute(&out, params); err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal([]byte(out.String()), &objects[index-asked.From]); err != nil {
			return nil, err
		}
	}
	return objects, nil
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
		content, err := render(asked)
		if err != nil {
			content = map[string]string{"error": err.Error()}
		}
		if err := answers.Encode(content); err != nil {
			log.Fatal(err)
		}
	}
}
