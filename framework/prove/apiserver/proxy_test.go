/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package apiserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// server simulates an API server with one claim, rejecting all writes.
type server struct {
	refusals []metav1.StatusCause
	message  string
	// requests are the received requests, stored the last body.
	requests []string
	stored   string
	// open keeps watches open as long as the client does.
	open bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.RawQuery+" "+r.Header.Get("Impersonate-User")))
	w.Header().Set("Content-Type", "application/json")
	const claim = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"claim"},"spec":{"devices":{"requests":[{"name":"req"}]}}}`
	switch {
	case r.URL.Query().Get("watch") != "":
		_, _ = fmt.Fprintf(w, "{\"type\":\"ADDED\",\"object\":%s}\n{\"type\":\"BOOKMARK\",\"object\":%s}\n", claim, claim)
		if s.open {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/claim"):
		_, _ = io.WriteString(w, claim)
	case r.Method == http.MethodGet:
		_, _ = io.WriteString(w, `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimList","items":[`+claim+`]}`)
	case s.message != "" && r.Header.Get("Impersonate-User") == "" && strings.Contains(s.message, "User"):
		_, _ = io.Copy(w, r.Body)
	default:
		body, _ := io.ReadAll(r.Body)
		s.stored = string(body)
		status := metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 422, Reason: metav1.StatusReasonInvalid,
			Message: s.message, Details: &metav1.StatusDetails{Causes: s.refusals},
		}
		w.WriteHeader(422)
		_ = json.NewEncoder(w).Encode(status)
	}
}

// through returns clients of a server behind a proxy with the mutant.
func through(t *testing.T, s *server, mutant, as string) kubernetes.Interface {
	t.Helper()
	client, _ := behindProxy(t, s, mutant, as)
	return client
}

func behindProxy(t *testing.T, s *server, mutant, as string) (kubernetes.Interface, *Proxy) {
	t.Helper()
	behind := httptest.NewServer(s)
	t.Cleanup(behind.Close)
	p, err := Start(t.Context(), &rest.Config{Host: behind.URL}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if mutant != "" {
		all, err := parse([]byte("- {id: api-x, what: It is broken., requires: [a/b], " + mutant + "}"))
		if err != nil {
			t.Fatal(err)
		}
		p.Turn(&all[0])
	}
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate.UserName = as
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client, p
}

func claim() *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim"}}
	c.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "req"}}
	return c
}

func TestWritesAreJudgedAsTheMutantSays(t *testing.T) {
	name, class := metav1.StatusCause{Type: "FieldValueInvalid", Field: "spec.name"}, metav1.StatusCause{Type: "FieldValueRequired", Field: "spec.class"}
	for _, row := range []struct {
		name, mutant, as, message string
		refusals                  []metav1.StatusCause
		fields                    string // of the refusal; empty if it is accepted
	}{
		{name: "no mutant", refusals: []metav1.StatusCause{name}, fields: "spec.name"},
		{name: "another path", mutant: `path: /deviceclasses$, accepts: {field: name}`, refusals: []metav1.StatusCause{name}, fields: "spec.name"},
		{name: "another method", mutant: `path: claims, methods: [PUT], accepts: {field: name}`, refusals: []metav1.StatusCause{name}, fields: "spec.name"},
		{name: "the refusal", mutant: `path: claims$, accepts: {field: '^spec\.name$', reason: Invalid}`, refusals: []metav1.StatusCause{name}},
		{name: "one of two refusals", mutant: `path: claims$, accepts: {field: name}`, refusals: []metav1.StatusCause{name, class}, fields: "spec.class"},
		{name: "another field", mutant: `path: claims$, accepts: {field: class}`, refusals: []metav1.StatusCause{name}, fields: "spec.name"},
		{name: "another reason", mutant: `path: claims$, accepts: {field: name, reason: Required}`, refusals: []metav1.StatusCause{name}, fields: "spec.name"},
		{name: "a message", mutant: `path: claims$, accepts: {message: too busy}`, message: "it is too busy"},
		{name: "another message", mutant: `path: claims$, accepts: {message: too busy}`, message: "no", refusals: []metav1.StatusCause{name}, fields: "spec.name"},
		{name: "a right that a user does not have", mutant: `path: claims$, accepts: {message: User}`, as: "user", message: `User "user" cannot`},
		{name: "what is valid", mutant: `path: claims$, refuses: '.spec.devices.requests | length == 1'`, fields: "spec"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &server{refusals: row.refusals, message: row.message}
			_, err := through(t, s, row.mutant, row.as).ResourceV1().ResourceClaims("default").Create(t.Context(), claim(), metav1.CreateOptions{})
			var fields []string
			if err != nil {
				status, ok := err.(apierrors.APIStatus)
				if !ok {
					t.Fatal(err)
				}
				for _, c := range status.Status().Details.Causes {
					fields = append(fields, c.Field)
				}
			}
			if got := strings.Join(fields, " "); got != row.fields {
				t.Errorf("refused because of %q instead of %q: %v", got, row.fields, err)
			}
		})
	}
}

func TestPatchesAndDeletionsAreAccepted(t *testing.T) {
	s := &server{refusals: []metav1.StatusCause{{Field: "spec"}}}
	client := through(t, s, `path: claims/, accepts: {field: spec}`, "").ResourceV1().ResourceClaims("default")
	patched, err := client.Patch(t.Context(), "claim", "application/merge-patch+json", []byte(`{}`), metav1.PatchOptions{})
	if err != nil || patched.Name != "claim" {
		t.Errorf("the patch: %v, %v", patched, err)
	}
	if err := client.Delete(t.Context(), "claim", metav1.DeleteOptions{}); err != nil {
		t.Errorf("the deletion: %v", err)
	}
}

func TestObjectsAreStoredAndAnsweredAsTheMutantSays(t *testing.T) {
	s := &server{}
	_, _ = through(t, s, `path: claims$, stores: '.spec.devices.requests[0].name = "other"'`, "").ResourceV1().ResourceClaims("default").Create(t.Context(), claim(), metav1.CreateOptions{})
	if !strings.Contains(s.stored, `"name":"other"`) {
		t.Errorf("stored was %s", s.stored)
	}

	client := through(t, s, `path: claims, answers: '.spec.devices.requests[0].name = "other"'`, "").ResourceV1().ResourceClaims("default")
	one, err := client.Get(t.Context(), "claim", metav1.GetOptions{})
	if err != nil || one.Spec.Devices.Requests[0].Name != "other" {
		t.Errorf("one object: %v, %v", one, err)
	}
	list, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil || list.Items[0].Spec.Devices.Requests[0].Name != "other" {
		t.Errorf("a list: %v, %v", list, err)
	}
	events, err := client.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for e := range events.ResultChan() {
		told = append(told, fmt.Sprint(e.Type, " ", e.Object.(*resourceapi.ResourceClaim).Spec.Devices.Requests[0].Name))
	}
	if got := strings.Join(told, ", "); got != "ADDED other, BOOKMARK req" {
		t.Errorf("a watch: %s", got)
	}
}

// Components write in protobuf.
func TestObjectsInProtobufAreStoredOtherwise(t *testing.T) {
	s := &server{}
	behind := httptest.NewServer(s)
	t.Cleanup(behind.Close)
	p, err := Start(t.Context(), &rest.Config{Host: behind.URL}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	all, err := parse([]byte(`[{id: api-x, what: It is broken., requires: [a/b], path: claims, stores: '.spec.devices.requests[0].name = "other"'}]`))
	if err != nil {
		t.Fatal(err)
	}
	p.Turn(&all[0])
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = client.ResourceV1().ResourceClaims("default").Create(t.Context(), claim(), metav1.CreateOptions{})
	if !strings.Contains(s.stored, `"kind":"ResourceClaim"`) || !strings.Contains(s.stored, `"name":"other"`) {
		t.Errorf("stored was %s", s.stored)
	}
}

func TestObjectsAreLeftOut(t *testing.T) {
	client := through(t, &server{}, `path: claims, answers: 'empty'`, "").ResourceV1().ResourceClaims("default")
	list, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 0 {
		t.Errorf("a list: %v, %v", list, err)
	}
	events, err := client.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for e := range events.ResultChan() {
		if e.Type != "BOOKMARK" {
			t.Errorf("a watch: %v", e)
		}
	}
}

func TestParametersAreIgnored(t *testing.T) {
	for value, want := range map[string]string{"spec.driver=a": "GET", "spec.pool.name=a": "GET fieldSelector=spec.pool.name%3Da"} {
		s := &server{}
		_, err := through(t, s, `path: claims$, ignores: {name: fieldSelector, value: ^spec.driver}`, "").ResourceV1().ResourceClaims("default").
			List(t.Context(), metav1.ListOptions{FieldSelector: value})
		if err != nil || len(s.requests) != 1 || s.requests[0] != want {
			t.Errorf("%s: asked for %q: %v", value, s.requests, err)
		}
	}
}

// A program failing for an object says nothing about the API server.
func TestFaultsOfTheProxyAreTold(t *testing.T) {
	client, proxy := behindProxy(t, &server{}, `path: claims, answers: '.metadata.name | tonumber'`, "")
	if _, err := client.ResourceV1().ResourceClaims("default").Get(t.Context(), "claim", metav1.GetOptions{}); err == nil {
		t.Error("the object was answered")
	}
	if faults := proxy.Faults(); len(faults) != 1 || !strings.Contains(faults[0], "GET /apis/resource.k8s.io/v1/namespaces/default/resourceclaims/claim: ") {
		t.Errorf("faults: %q", faults)
	}
	proxy.Turn(nil)
	if faults := proxy.Faults(); len(faults) != 0 {
		t.Errorf("faults of the mutant before: %q", faults)
	}
}
