// SPDX-License-Identifier: Apache-2.0

// Extender is an HTTP extender of the scheduler made with upstream's types, whose behaviour can be changed while it runs.
//
//	extender -listen 127.0.0.1:0 [-cert FILE -key FILE -client-ca FILE] [-api URL -token TOKEN]
//
// It prints the address that it listens on. A scheduler is given http://ADDRESS/NAME as urlPrefix and the verbs filter,
// prioritize, preempt and bind. NAME is free: what is called so has a behaviour of its own, which a PUT of JSON to
// /control/NAME replaces (see Behaviour; none: it lets everything pass). GET /control/NAME tells the calls so far.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
)

// Behaviour says what an extender does. The zero value keeps every node and prefers none.
type Behaviour struct {
	Verb         string           `json:"verb"`         // The verb that delay, status, garbage and error are about; empty: all.
	DelayMs      int              `json:"delayMs"`      // Before each answer.
	Status       int              `json:"status"`       // Of the HTTP answer, instead of an answer.
	Garbage      string           `json:"garbage"`      // The body, instead of an answer.
	Error        string           `json:"error"`        // The error of a filter or of a binding.
	Keep         string           `json:"keep"`         // A regular expression for the nodes that pass; empty: all.
	Message      string           `json:"message"`      // Why the others do not pass.
	Unresolvable bool             `json:"unresolvable"` // They fail for good.
	Scores       map[string]int64 `json:"scores"`       // By node.
	Victims      string           `json:"victims"`      // A regular expression for the nodes that may be preempted on; empty: all.
}

// Call is a request that an extender has had.
type Call struct {
	Verb  string   `json:"verb"`
	Pod   string   `json:"pod"`
	Nodes []string `json:"nodes"`
	Whole bool     `json:"whole"` // Node objects came, not names.
	Ended bool     `json:"ended"`
	Gone  bool     `json:"gone"` // The client went before it was answered.
}

// Extender is one of the names.
type Extender struct {
	mutex     sync.Mutex
	behaviour Behaviour
	calls     []*Call
}

// Server holds all of them.
type Server struct {
	mutex     sync.Mutex
	extenders map[string]*Extender
	api       string
	token     string
	client    http.Client
}

func (s *Server) extender(name string) *Extender {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.extenders[name] == nil {
		s.extenders[name] = &Extender{}
	}
	return s.extenders[name]
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) != 2 {
		http.NotFound(w, r)
		return
	}
	if parts[0] == "control" {
		s.extender(parts[1]).control(w, r)
		return
	}
	s.call(s.extender(parts[0]), parts[1], w, r)
}

func (e *Extender) control(w http.ResponseWriter, r *http.Request) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if r.Method == http.MethodPut {
		var behaviour Behaviour
		if err := json.NewDecoder(r.Body).Decode(&behaviour); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		e.behaviour = behaviour
	}
	write(w, e.calls)
}

func (s *Server) call(e *Extender, verb string, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "a POST of JSON is expected", http.StatusBadRequest)
		return
	}
	asked, err := parse(verb, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	call := &Call{Verb: verb}
	asked.describe(call)
	e.mutex.Lock()
	behaviour := e.behaviour.at(verb)
	e.calls = append(e.calls, call)
	e.mutex.Unlock()
	select {
	case <-time.After(time.Duration(behaviour.DelayMs) * time.Millisecond):
	case <-r.Context().Done():
		e.note(&call.Gone)
		return
	}
	e.note(&call.Ended)
	switch {
	case behaviour.Status != 0:
		http.Error(w, "as it was told", behaviour.Status)
	case behaviour.Garbage != "":
		_, _ = io.WriteString(w, behaviour.Garbage)
	default:
		write(w, asked.answer(s, behaviour))
	}
}

func (e *Extender) note(what *bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	*what = true
}

// at is the behaviour without what is meant for other verbs.
func (b Behaviour) at(verb string) Behaviour {
	if b.Verb != "" && b.Verb != verb {
		b.DelayMs, b.Status, b.Garbage, b.Error = 0, 0, "", ""
	}
	return b
}

func (b Behaviour) keeps(node string) bool {
	return regexp.MustCompile(b.Keep).MatchString(node)
}

// A request is what a verb was called with.
type request interface {
	describe(call *Call)
	answer(s *Server, b Behaviour) any
}

type filterRequest struct{ extender.ExtenderArgs }
type prioritizeRequest struct{ extender.ExtenderArgs }
type preemptRequest struct {
	extender.ExtenderPreemptionArgs
}
type bindRequest struct{ extender.ExtenderBindingArgs }

func parse(verb string, body []byte) (request, error) {
	var asked request
	switch verb {
	case "filter":
		asked = &filterRequest{}
	case "prioritize":
		asked = &prioritizeRequest{}
	case "preempt":
		asked = &preemptRequest{}
	case "bind":
		asked = &bindRequest{}
	default:
		return nil, fmt.Errorf("there is no verb %q", verb)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields() // A scheduler sends nothing that upstream's types do not know.
	return asked, decoder.Decode(asked)
}

func describeArgs(args extender.ExtenderArgs, call *Call) {
	call.Pod = args.Pod.Name
	call.Whole = args.Nodes != nil
	call.Nodes = nodeNames(args)
}

func nodeNames(args extender.ExtenderArgs) []string {
	if args.NodeNames != nil {
		return *args.NodeNames
	}
	var names []string
	if args.Nodes != nil {
		for _, node := range args.Nodes.Items {
			names = append(names, node.Name)
		}
	}
	return names
}

func (r *filterRequest) describe(call *Call)     { describeArgs(r.ExtenderArgs, call) }
func (r *prioritizeRequest) describe(call *Call) { describeArgs(r.ExtenderArgs, call) }

func (r *filterRequest) answer(_ *Server, b Behaviour) any {
	result := &extender.ExtenderFilterResult{Error: b.Error}
	failed := extender.FailedNodesMap{}
	kept := []string{}
	for _, name := range nodeNames(r.ExtenderArgs) {
		if b.keeps(name) {
			kept = append(kept, name)
		} else {
			failed[name] = b.Message
		}
	}
	if b.Unresolvable {
		result.FailedAndUnresolvableNodes = failed
	} else {
		result.FailedNodes = failed
	}
	if r.NodeNames != nil {
		result.NodeNames = &kept
		return result
	}
	result.Nodes = &v1.NodeList{}
	for _, node := range r.Nodes.Items {
		if b.keeps(node.Name) {
			result.Nodes.Items = append(result.Nodes.Items, node)
		}
	}
	return result
}

func (r *prioritizeRequest) answer(_ *Server, b Behaviour) any {
	list := extender.HostPriorityList{}
	for _, name := range nodeNames(r.ExtenderArgs) {
		list = append(list, extender.HostPriority{Host: name, Score: b.Scores[name]})
	}
	return &list
}

func (r *preemptRequest) describe(call *Call) {
	call.Pod = r.Pod.Name
	call.Whole = r.NodeNameToVictims != nil
	for name := range r.victims() {
		call.Nodes = append(call.Nodes, name)
	}
}

// victims are the ones that the scheduler proposes, by node.
func (r *preemptRequest) victims() map[string]*extender.MetaVictims {
	if r.NodeNameToVictims == nil {
		return r.NodeNameToMetaVictims
	}
	victims := map[string]*extender.MetaVictims{}
	for name, proposed := range r.NodeNameToVictims {
		meta := &extender.MetaVictims{NumPDBViolations: proposed.NumPDBViolations}
		for _, pod := range proposed.Pods {
			meta.Pods = append(meta.Pods, &extender.MetaPod{UID: string(pod.UID)})
		}
		victims[name] = meta
	}
	return victims
}

func (r *preemptRequest) answer(_ *Server, b Behaviour) any {
	result := &extender.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extender.MetaVictims{}}
	allowed := regexp.MustCompile(b.Victims)
	for name, victims := range r.victims() {
		if allowed.MatchString(name) {
			result.NodeNameToMetaVictims[name] = victims
		}
	}
	return result
}

func (r *bindRequest) describe(call *Call) {
	call.Pod = r.PodName
	call.Nodes = []string{r.Node}
}

func (r *bindRequest) answer(s *Server, b Behaviour) any {
	result := &extender.ExtenderBindingResult{Error: b.Error}
	if b.Error == "" {
		if err := s.bindPod(r.ExtenderBindingArgs); err != nil {
			result.Error = err.Error()
		}
	}
	return result
}

func (s *Server) bindPod(args extender.ExtenderBindingArgs) error {
	body, err := json.Marshal(v1.Binding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Binding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: args.PodNamespace, Name: args.PodName, UID: args.PodUID},
		Target:     v1.ObjectReference{Kind: "Node", Name: args.Node},
	})
	if err != nil {
		return err
	}
	url := fmt.Sprintf("%s/api/v1/namespaces/%s/pods/%s/binding", s.api, args.PodNamespace, args.PodName)
	post, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := s.client.Do(post)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		text, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("binding: %s: %s", answer.Status, text)
	}
	return nil
}

func write(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		log.Print(err)
	}
}

func listen(address, cert, key, clientCA string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil || cert == "" {
		return listener, err
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if clientCA != "" {
		pem, err := os.ReadFile(clientCA)
		if err != nil {
			return nil, err
		}
		config.ClientCAs = x509.NewCertPool()
		config.ClientCAs.AppendCertsFromPEM(pem)
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return tls.NewListener(listener, config), nil
}

func main() {
	address := flag.String("listen", "127.0.0.1:0", "address to serve on")
	cert := flag.String("cert", "", "certificate to serve with")
	key := flag.String("key", "", "its key")
	clientCA := flag.String("client-ca", "", "who vouches for clients")
	api := flag.String("api", "", "URL of the API server, for bindings")
	token := flag.String("token", "", "token for it")
	flag.Parse()
	listener, err := listen(*address, *cert, *key, *clientCA)
	if err != nil {
		log.Fatal(err)
	}
	server := &Server{extenders: map[string]*Extender{}, api: *api, token: *token}
	server.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // Of tests, on loopback.
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, server))
}
