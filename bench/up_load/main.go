// SPDX-License-Identifier: Apache-2.0

// Command up_load is the load generator of bench/up_compare.py and bench/foresight.py: it creates or changes pods over
// keep-alive connections, or watches them, and prints one line of JSON with what it measured. It knows only HTTP, so that
// it costs the same whatever serves it.
//
//	up_load -server URL [-token T] create -connections 8 -count 20000 -prefix p
//	up_load -server URL [-token T] watch -watchers 100 -rate 2000 -seconds 10 -prefix p
//	up_load -server URL [-token T] bind -rate 500 -seconds 30 -prefix p
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var (
	server = flag.String("server", "", "where it is")
	token  = flag.String("token", "", "to show")
)

const pods = "/api/v1/namespaces/default/pods"

const body = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","labels":{"app":"load"}},"spec":{"containers":[{"name":"main",` +
	`"image":"registry.k8s.io/pause:3.10","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}`

func main() {
	log.SetFlags(0)
	flag.Parse()
	result := map[string]any{}
	command := flag.NewFlagSet(flag.Arg(0), flag.ExitOnError)
	connections := command.Int("connections", 8, "")
	count := command.Int("count", 10000, "how many pods")
	prefix := command.String("prefix", "p", "of their names")
	watchers := command.Int("watchers", 100, "")
	rate := command.Int("rate", 2000, "changes per second")
	seconds := command.Int("seconds", 10, "")
	if err := command.Parse(flag.Args()[1:]); err != nil {
		log.Fatal(err)
	}
	switch flag.Arg(0) {
	case "create":
		took := create(*connections, *count, *prefix)
		result["seconds"], result["per_second"] = took.Seconds(), float64(*count)/took.Seconds()
	case "watch":
		watch(*watchers, *rate, *seconds, *connections, *prefix, result)
	case "bind":
		bind(*rate, *rate**seconds, *connections, *prefix, result)
	default:
		log.Fatal("create, watch or bind?")
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

// One connection: HTTP/1.1 for both, as Berth speaks it.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, DisableCompression: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
}

func send(client *http.Client, method, path, contentType string, content []byte) *http.Response {
	request, err := http.NewRequest(method, *server+path, bytes.NewReader(content))
	if err != nil {
		log.Fatal(err)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if *token != "" {
		request.Header.Set("Authorization", "Bearer "+*token)
	}
	answer, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func finish(answer *http.Response, expected int) {
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || answer.StatusCode != expected {
		log.Fatalf("answered %d: %.300s (%v)", answer.StatusCode, text, err)
	}
}

func create(connections, count int, prefix string) time.Duration {
	bodies := make([][]byte, count)
	for index := range bodies {
		bodies[index] = fmt.Appendf(nil, body, prefix+strconv.Itoa(index))
	}
	var next atomic.Int64
	var group sync.WaitGroup
	start := time.Now()
	for range connections {
		group.Go(func() {
			client := newClient()
			for index := next.Add(1) - 1; index < int64(count); index = next.Add(1) - 1 {
				finish(send(client, http.MethodPost, pods, "application/json", bodies[index]), http.StatusCreated)
			}
		})
	}
	group.Wait()
	return time.Since(start)
}

// Watches while pods change, and tells how late the changes were heard of.
func watch(watchers, rate, seconds, connections int, prefix string, result map[string]any) {
	create(connections, connections, prefix)
	var group, ready sync.WaitGroup
	lags := make([][]time.Duration, watchers)
	for index := range watchers {
		ready.Add(1)
		group.Go(func() { lags[index] = listen(&ready) })
	}
	ready.Wait()
	start := time.Now()
	total := change(rate, rate*seconds, connections, prefix)
	changed := time.Since(start)
	last := []byte(`{"metadata":{"annotations":{"end":"yes"}}}`)
	finish(send(newClient(), http.MethodPatch, pods+"/"+prefix+"0", "application/merge-patch+json", last), http.StatusOK)
	group.Wait()
	heard := time.Since(start)
	kept := 0
	ends, all := []time.Duration{0}, []time.Duration{0}
	for _, each := range lags {
		all = append(all, each...)
		if len(each) == total {
			kept++
			ends = append(ends, each[total-1])
		}
	}
	result["kept_up"] = kept
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	sort.Slice(ends, func(i, j int) bool { return ends[i] < ends[j] })
	result["changes_per_second"] = float64(total) / changed.Seconds()
	result["events_per_second"] = float64(len(all)) / heard.Seconds()
	result["lag_p50_ms"] = float64(all[len(all)/2].Microseconds()) / 1000
	result["lag_p99_ms"] = float64(all[len(all)*99/100].Microseconds()) / 1000
	result["lag_of_last_max_ms"] = float64(ends[len(ends)-1].Microseconds()) / 1000
}

// Changes pods at the given rate; each change carries its time, so that every watcher knows how late it hears of it.
// Returns how many there were: a server that cannot follow gets fewer, in three times the time.
func change(rate, total, connections int, prefix string) int {
	var group sync.WaitGroup
	var done atomic.Int64
	start := time.Now()
	deadline := start.Add(3 * time.Duration(total) * time.Second / time.Duration(rate))
	for worker := range connections {
		group.Go(func() {
			client := newClient()
			for index := worker; index < total && time.Now().Before(deadline); index += connections {
				time.Sleep(time.Until(start.Add(time.Duration(index) * time.Second / time.Duration(rate))))
				patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"at":"at-%d."}}}`, time.Now().UnixNano())
				path := pods + "/" + prefix + strconv.Itoa(worker)
				finish(send(client, http.MethodPatch, path, "application/merge-patch+json", patch), http.StatusOK)
				done.Add(1)
			}
		})
	}
	group.Wait()
	return int(done.Load())
}

// How late the changes were heard of. Fewer than all if the server cuts the watch off, as it may do to a slow one.
func listen(ready *sync.WaitGroup) []time.Duration {
	answer := send(newClient(), http.MethodGet, "/api/v1/pods?watch=1&labelSelector=app%3Dload", "", nil)
	defer answer.Body.Close()
	ready.Done()
	lines := bufio.NewReaderSize(answer.Body, 1<<16)
	var lags []time.Duration
	marker := []byte(`"at":"at-`)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil || bytes.Contains(line, []byte(`"end":"yes"`)) {
			return lags
		}
		at := bytes.Index(line, marker)
		if at < 0 {
			continue
		}
		rest := line[at+len(marker):]
		sent, err := strconv.ParseInt(string(rest[:bytes.IndexByte(rest, '.')]), 10, 64)
		if err != nil {
			log.Fatal(err)
		}
		lags = append(lags, time.Since(time.Unix(0, sent)))
	}
}

// Creates pods at the given rate, and tells how long it takes from the request to create one until the watch says where it
// is bound.
func bind(rate, total, connections int, prefix string, result map[string]any) {
	answer := send(newClient(), http.MethodGet, "/api/v1/pods?watch=1&labelSelector=app%3Dload", "", nil)
	defer answer.Body.Close()
	sent := make([]atomic.Int64, total)
	var group sync.WaitGroup
	start := time.Now()
	for worker := range connections {
		group.Go(func() {
			client := newClient()
			for index := worker; index < total; index += connections {
				time.Sleep(time.Until(start.Add(time.Duration(index) * time.Second / time.Duration(rate))))
				sent[index].Store(time.Now().UnixNano())
				content := fmt.Appendf(nil, body, prefix+strconv.Itoa(index))
				finish(send(client, http.MethodPost, pods, "application/json", content), http.StatusCreated)
			}
		})
	}
	lags := awaitBound(answer.Body, sent, prefix)
	group.Wait()
	sort.Slice(lags, func(i, j int) bool { return lags[i] < lags[j] })
	result["pods"], result["per_second"] = total, float64(total)/time.Since(start).Seconds()
	for name, index := range map[string]int{"p50_ms": total / 2, "p99_ms": total * 99 / 100, "max_ms": total - 1} {
		result[name] = float64(lags[index].Microseconds()) / 1000
	}
}

// From when each was sent until it is bound.
func awaitBound(events io.Reader, sent []atomic.Int64, prefix string) []time.Duration {
	lines := bufio.NewReaderSize(events, 1<<20)
	lags := make([]time.Duration, 0, len(sent))
	seen := make([]bool, len(sent))
	marker := []byte(`"name":"` + prefix)
	for len(lags) < len(sent) {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			log.Fatal(err)
		}
		at := bytes.Index(line, marker)
		if at < 0 || !bytes.Contains(line, []byte(`"nodeName":"`)) {
			continue
		}
		rest := line[at+len(marker):]
		index, err := strconv.Atoi(string(rest[:bytes.IndexByte(rest, '"')]))
		if err != nil || seen[index] {
			continue
		}
		seen[index] = true
		lags = append(lags, time.Since(time.Unix(0, sent[index].Load())))
	}
	return lags
}
