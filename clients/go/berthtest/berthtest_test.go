// SPDX-License-Identifier: Apache-2.0

package berthtest

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func names(t *testing.T, cluster *Cluster, path string) []string {
	t.Helper()
	answer, err := http.Get(cluster.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, item := range list.Items {
		found = append(found, item.Metadata.Name)
	}
	return found
}

func create(t *testing.T, cluster *Cluster, path, body string) {
	t.Helper()
	answer, err := http.Post(cluster.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", answer.Status, text)
	}
}

func TestClusterIsUpWithWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	cluster := Start(t, "--nodes", "5")

	if found := names(t, cluster, "/api/v1/nodes"); len(found) != 5 {
		t.Errorf("nodes: %v", found)
	}
	if text, err := os.ReadFile(cluster.Kubeconfig); err != nil || !strings.Contains(string(text), cluster.URL) {
		t.Errorf("%s, %v", text, err)
	}
	if cluster.Ready <= 0 {
		t.Errorf("ready after %v", cluster.Ready)
	}
}

func TestClusterEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var pid int
	t.Run("uses it", func(t *testing.T) { pid = Start(t, "--api-only").Pid })

	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("process %d: %v", pid, err)
	}
}

func TestResetBringsBackWhatWasThere(t *testing.T) {
	t.Parallel()
	const maps = "/api/v1/namespaces/default/configmaps"
	cluster := Start(t, "--api-only")
	before := names(t, cluster, maps)

	create(t, cluster, maps, `{"metadata":{"name":"mine"}}`)
	withMine := cluster.Save(t)
	began := time.Now()
	cluster.Reset(t)
	t.Logf("reset took %v", time.Since(began))
	after := names(t, cluster, maps)
	cluster.Restore(t, withMine)

	if strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("%v, then %v", before, after)
	}
	if found := names(t, cluster, maps); len(found) != len(before)+1 {
		t.Errorf("restored: %v", found)
	}
}
