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

package kube

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/framework/limit"
)

// An endless response of the API server exhausted memory: 2.7 GiB in 20 s.
func TestAnswersHaveALimit(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 101)) }))
	defer server.Close()
	for name, tooBig := range map[string]bool{"/api/v1/pods": true, "/api/v1/pods?watch=true": false, "/api/v1/namespaces/ns/pods/pod/log?follow=true": false} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := withLimit{http.DefaultTransport, 100}.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(response.Body); errors.Is(err, limit.ErrTooBig) != tooBig {
			t.Errorf("%s: %v", name, err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	client, err := HTTPClientFor(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, limited := client.Transport.(withLimit); !limited || http.DefaultClient.Transport != nil {
		t.Errorf("clients have %T, the default one %T", client.Transport, http.DefaultClient.Transport)
	}
}

// If a credential plugin hung, "cluster create --kubeconfig" ignored its timeout of 12 s, and gather ignored signals:
// client-go runs the plugin without the context of the request.
func TestRequestEndsWhileThePluginHangs(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := NewForConfig(&rest.Config{Host: "https://127.0.0.1:1", ExecProvider: &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: "cat", Args: []string{fifo}, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := discovery.ToDiscoveryInterfaceWithContext(client.Discovery()).ServerVersionWithContext(ctx)
		ended <- err
	}()
	plugin, err := os.OpenFile(fifo, os.O_WRONLY, 0) // the plugin runs now
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = plugin.Close() }()
	enough := errors.New("enough")
	cancel(enough)
	select {
	case err := <-ended:
		if !errors.Is(err, enough) || !strings.Contains(err.Error(), "credential plugin cat") {
			t.Errorf("got error %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the request goes on after its context has ended")
	}
}
