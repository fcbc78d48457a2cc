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

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/gather"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// envMain has the test binary run main.
const envMain = "DRATEST_TEST_MAIN"

// timeout sends two signals. dratest took the second one for an abort and did not delete its cluster.
func TestSignalsThatComeTogetherAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := make(chan os.Signal), make(chan os.Signal, 8)
		go passOn(in, out)
		in <- os.Interrupt
		in <- os.Interrupt
		synctest.Wait()
		if len(out) != 1 {
			t.Errorf("%d signals were passed on of two that came together, want one", len(out))
		}
		time.Sleep(2 * together)
		in <- os.Interrupt
		synctest.Wait()
		if len(out) != 2 {
			t.Errorf("%d signals were passed on, want also the one that came later", len(out))
		}
		close(in)
	})
}

// silent is an API server that reports its version, has no agents and answers nothing else.
func silent(t *testing.T) (kubeconfig string, asked <-chan string) {
	t.Helper()
	requests, done := make(chan string, 100), make(chan struct{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/version":
			_, _ = io.WriteString(w, `{"gitVersion": "v1.37.1"}`)
			return
		case strings.Contains(r.URL.Path, "/namespaces/"): // agents
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"kind": "PodList", "apiVersion": "v1", "items": []}`)
			return
		}
		requests <- r.URL.Path
		select {
		case <-r.Context().Done():
		case <-done:
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '%s', insecure-skip-tls-verify: true}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n", server.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig, requests
}

// gather did not end with a signal while the API server was silent.
func TestGatherEndsWithASignal(t *testing.T) {
	for name, interrupt := range map[string]func(*exec.Cmd) error{
		"SIGINT":  func(c *exec.Cmd) error { return c.Process.Signal(os.Interrupt) },
		"SIGTERM": func(c *exec.Cmd) error { return c.Process.Signal(syscall.SIGTERM) },
		"SIGPIPE": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kubeconfig, asked := silent(t)
			out := filepath.Join(t.TempDir(), "out")
			var stderr bytes.Buffer
			c := exec.CommandContext(t.Context(), os.Args[0], "gather", "--kubeconfig", kubeconfig, "--out", out)
			c.Env, c.Stderr = append(os.Environ(), envMain+"=1"), &stderr
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			c.Stdout = write
			if interrupt == nil {
				_ = read.Close()
			} else {
				defer func() { _ = read.Close() }()
			}
			if err := errors.Join(c.Start(), write.Close()); err != nil {
				t.Fatal(err)
			}
			if interrupt != nil {
				<-asked
				if err := interrupt(c); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Wait(); c.ProcessState.ExitCode() != codeIncomplete || !strings.Contains(stderr.String(), "interrupted: ") {
				t.Errorf("%v, want exit code %d: %s", err, codeIncomplete, stderr.String())
			}
			if index := readFile(t, filepath.Join(out, gather.IndexFile)); !strings.Contains(index, "everything after the interruption") {
				t.Errorf("the index does not tell of the interruption:\n%s", index)
			}
		})
	}
}

// blocking makes no cluster before its context ends.
type blocking struct {
	perf.Clusters

	create chan struct{}
}

func (b blocking) Create(ctx context.Context, _ clusters.Config) (clusters.Cluster, error) {
	close(b.create)
	<-ctx.Done()
	return clusters.Cluster{}, context.Cause(ctx)
}

func TestInterruptedPerfRunIsIncomplete(t *testing.T) {
	dir, create := t.TempDir(), make(chan struct{})
	f := perfFlags{reference: "stock", candidate: "stock", only: []string{"no-claims"}}
	f.Blocks, f.Out, f.Config = 1, io.Discard, testbed.Config{ReportDir: dir, Out: io.Discard}
	f.Clusters = blocking{providers.NewClusters(progress.New(io.Discard)), create}
	f.Scenarios = scenarios(f.Clusters)
	if err := f.complete(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-create
		cancel()
	}()
	if err := f.run(ctx); exitCode(err) != codeIncomplete || !strings.HasPrefix(err.Error(), "interrupted: ") {
		t.Errorf("got %v, exit code %d, want %d", err, exitCode(err), codeIncomplete)
	}
	if record := readFile(t, filepath.Join(dir, "perf.json")); !strings.Contains(record, "context canceled") {
		t.Errorf("perf.json does not tell of the interruption:\n%s", record)
	}
}
