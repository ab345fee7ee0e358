// SPDX-License-Identifier: Apache-2.0

// Package berthtest gives a test a Kubernetes cluster of its own: a `berth up` that is started for it and stopped with
// it. It needs nothing but the program berth, which is found by the variable BERTH, else in PATH.
//
//	func TestReconciler(t *testing.T) {
//		cluster := berthtest.Start(t)
//		config, err := clientcmd.BuildConfigFromFlags("", cluster.Kubeconfig)
//		...
//	}
package berthtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 15 * time.Second
)

// Cluster is one that is up.
type Cluster struct {
	URL        string        // Such as http://127.0.0.1:34605.
	Kubeconfig string        // The path of a file that goes with the cluster.
	Pid        int           // Of the process.
	Ready      time.Duration // How long it took to be up.

	fresh []byte
}

// Snapshot is all that a cluster holds at some moment.
type Snapshot []byte

// Start runs `berth up` with further arguments, such as "--nodes", "5", and returns when requests are answered. The
// cluster is stopped when the test and its subtests have ended.
func Start(t testing.TB, args ...string) *Cluster {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	command := exec.Command(program(), append([]string{"up", "--port", "0", "--output", "json", "--kubeconfig", kubeconfig}, args...)...)
	var log bytes.Buffer
	command.Stderr = &log
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("berthtest: %v; install berth, or say where it is by the variable BERTH", err)
	}
	ended := make(chan struct{})
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(out).ReadString('\n')
		line <- text
		_, _ = io.Copy(io.Discard, out)
		_ = command.Wait()
		close(ended)
	}()
	t.Cleanup(func() { stop(command, ended) })

	var told string
	select {
	case told = <-line:
	case <-time.After(startTimeout):
		t.Fatalf("berthtest: berth up says nothing after %v", startTimeout)
	}
	if told == "" {
		<-ended
		t.Fatalf("berthtest: berth up did not start: %s", strings.TrimSpace(log.String()))
	}
	var up struct {
		URL, Kubeconfig string
		Pid             int
		ReadyMs         float64
	}
	if err := json.Unmarshal([]byte(told), &up); err != nil {
		t.Fatalf("berthtest: %q: %v", told, err)
	}
	cluster := &Cluster{URL: up.URL, Kubeconfig: up.Kubeconfig, Pid: up.Pid, Ready: time.Duration(up.ReadyMs * float64(time.Millisecond))}
	cluster.fresh = cluster.Save(t)
	return cluster
}

// Reset makes the cluster what it was when it was started. Watches see what changes.
func (c *Cluster) Reset(t testing.TB) {
	t.Helper()
	c.Restore(t, c.fresh)
}

// Save returns what the cluster holds now.
func (c *Cluster) Save(t testing.TB) Snapshot {
	t.Helper()
	return c.ask(t, http.MethodGet, nil)
}

// Restore makes the cluster hold what it held then.
func (c *Cluster) Restore(t testing.TB, snapshot Snapshot) {
	t.Helper()
	c.ask(t, http.MethodPut, snapshot)
}

func (c *Cluster) ask(t testing.TB, method string, body []byte) []byte {
	t.Helper()
	answer, err := c.send(method, body)
	if err != nil {
		t.Fatalf("berthtest: %v", err)
	}
	return answer
}

func (c *Cluster) send(method string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(method, c.URL+"/berth/v1/snapshot", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s of a snapshot: %s: %s", method, answer.Status, text)
	}
	return text, err
}

func program() string {
	if named := os.Getenv("BERTH"); named != "" {
		return named
	}
	return "berth"
}

func stop(command *exec.Cmd, ended <-chan struct{}) {
	_ = command.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(stopTimeout):
		_ = command.Process.Kill()
		<-ended
	}
}
