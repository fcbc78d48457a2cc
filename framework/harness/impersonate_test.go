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

package harness

import (
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestAsActsAsAnotherUser(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	own := &rest.Config{Host: server.URL}
	client := newT(spec.Meta{}, &Env{Config: own}).As(rest.ImpersonationConfig{UserName: "system:node:a", Groups: []string{"system:nodes"}})
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("the server refuses, and there was no error")
	}
	if got.Get("Impersonate-User") != "system:node:a" || got.Get("Impersonate-Group") != "system:nodes" {
		t.Errorf("the server was asked with %v", got)
	}
	if own.Impersonate.UserName != "" {
		t.Error("the run's own client was changed")
	}
}
