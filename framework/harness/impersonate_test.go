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
