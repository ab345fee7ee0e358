// SPDX-License-Identifier: Apache-2.0

// Autoscaler asks a running Berth which node group would help the pods that wait, and changes nothing.
//
//	go run . -berth http://127.0.0.1:6443 -group small=node-0 -group large=node-2 -max 3
//
// A group is a name and a node that its nodes look like. For each group it asks what would happen if one node of it, two,
// and so on were added, and prints the offers: most pods first, of equals the fewest nodes. See docs/foresight.md.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"
)

type groups map[string]string

func (g groups) String() string { return fmt.Sprint(map[string]string(g)) }

func (g groups) Set(text string) error {
	name, node, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("want NAME=NODE")
	}
	g[name] = node
	return nil
}

// Of the answers, what is needed here. GET /berth/v1/openapi describes all of them.
type queue struct {
	Total int
}

type plan struct {
	Pods []struct {
		Outcome    string
		WasPending bool
	}
}

type berth struct {
	url, token string
	client     http.Client
}

// Asks, and asks again after a while if too many others do.
func (b *berth) ask(method, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		status, text, err := b.send(method, path, body)
		if err != nil {
			return err
		}
		if status == http.StatusTooManyRequests && try < 5 {
			time.Sleep(time.Second)
			continue
		}
		if status != http.StatusOK {
			return fmt.Errorf("%s %s: status %d: %s", method, path, status, text)
		}
		return json.Unmarshal(text, answer)
	}
}

func (b *berth) send(method, path string, body []byte) (int, []byte, error) {
	if method == http.MethodGet {
		body = nil
	}
	request, err := http.NewRequest(method, b.url+"/berth/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if b.token != "" {
		request.Header.Set("Authorization", "Bearer "+b.token)
	}
	response, err := b.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// How many of the pods that wait would be placed with so many more nodes like this one.
func (b *berth) placed(like string, count int) (int, error) {
	add := map[string]any{"addNodes": map[string]any{"count": count, "like": like}}
	var answer plan
	if err := b.ask(http.MethodPost, "what-if", map[string]any{"changes": []any{add}}, &answer); err != nil {
		return 0, err
	}
	placed := 0
	for _, pod := range answer.Pods {
		if pod.WasPending && pod.Outcome == "placed" {
			placed++
		}
	}
	return placed, nil
}

type offer struct {
	group         string
	nodes, placed int
}

// More nodes of a group are asked about while they help more pods.
func (b *berth) offers(asked groups, most int) ([]offer, error) {
	var offers []offer
	for name, node := range asked {
		for count, before := 1, 0; count <= most; count++ {
			placed, err := b.placed(node, count)
			if err != nil {
				return nil, err
			}
			if count > 1 && placed <= before {
				break
			}
			offers, before = append(offers, offer{name, count, placed}), placed
		}
	}
	sort.Slice(offers, func(i, j int) bool {
		a, b := offers[i], offers[j]
		if a.placed != b.placed {
			return a.placed > b.placed
		}
		if a.nodes != b.nodes {
			return a.nodes < b.nodes
		}
		return a.group < b.group
	})
	return offers, nil
}

// Trusts the certificates of this file alone.
func trust(file string) (http.RoundTripper, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate", file)
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}, nil
}

func run() error {
	asked := groups{}
	b := berth{token: os.Getenv("BERTH_TOKEN"), client: http.Client{Timeout: time.Minute}}
	flag.StringVar(&b.url, "berth", "http://127.0.0.1:6443", "where Berth answers; BERTH_TOKEN is shown to it")
	authority := flag.String("certificate-authority", "", "file with the certificates that vouch for it")
	most := flag.Int("max", 3, "nodes to add to a group at most")
	flag.Var(asked, "group", "NAME=NODE, a node group and a node that its nodes look like; can be repeated")
	flag.Parse()
	if *authority != "" {
		transport, err := trust(*authority)
		if err != nil {
			return err
		}
		b.client.Transport = transport
	}

	var waiting queue
	if err := b.ask(http.MethodGet, "queue?limit=1", nil, &waiting); err != nil {
		return err
	}
	fmt.Printf("%d pods wait\n", waiting.Total)
	if waiting.Total == 0 {
		return nil
	}
	offers, err := b.offers(asked, *most)
	if err != nil {
		return err
	}
	for _, o := range offers {
		fmt.Printf("%d more of %s: %d placed\n", o.nodes, o.group, o.placed)
	}
	if len(offers) > 0 && offers[0].placed > 0 {
		fmt.Printf("best: %d more of %s\n", offers[0].nodes, offers[0].group)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "autoscaler:", err)
		os.Exit(1)
	}
}
