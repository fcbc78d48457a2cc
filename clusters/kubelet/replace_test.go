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

package kubelet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
)

const own = folder + "/kubelet-1"

// fakeNode is a node with a restart of the kubelet per change: it is healthy after one second, shown by the API
// server after two, and schedulable after three.
type fakeNode struct {
	mutex    sync.Mutex
	link     string
	restarts int
	changed  time.Time
	broken   string // the unhealthy program
	reports  string // reported by the own program
	full     int    // the first change with a full disk
}

func newFakeNode() *fakeNode {
	return &fakeNode{changed: time.Now().Add(-time.Minute), reports: "v1+dratest"}
}

func (*fakeNode) String() string { return "node" }

func (n *fakeNode) Run(ctx context.Context, _ io.Reader, args ...string) (string, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	switch {
	case args[0] == "journalctl":
		return "panic: no such node", nil
	case strings.Contains(args[2], "readlink"):
		return n.link, nil
	case strings.Contains(args[2], "systemctl restart"):
		if n.restarts++; n.full > 0 && n.restarts >= n.full {
			return "", errors.New("no space left on device")
		}
		n.link, n.changed = args[4], time.Now()
		return "", nil
	default:
		out := fmt.Sprintf("process %d\ncurrent\n", n.restarts)
		if n.healthy() {
			out += "ok\n"
		}
		return out, nil
	}
}

func (n *fakeNode) healthy() bool {
	return time.Since(n.changed) >= time.Second && (n.broken == "" || n.link != n.broken)
}

func (n *fakeNode) version() string {
	if n.link == own {
		return n.reports
	}
	return "v1"
}

// RoundTrip is the API server.
func (n *fakeNode) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	shown := corev1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"}}
	if time.Since(n.changed) >= 2*time.Second {
		shown.Status.NodeInfo.KubeletVersion = n.version()
	}
	if time.Since(n.changed) < 3*time.Second {
		shown.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}}
	}
	body, err := json.Marshal(shown)
	if strings.HasSuffix(r.URL.Path, "/nodes/node/proxy/metrics") {
		body = []byte("other 1\nkubernetes_build_info{build_date=\"x\",git_version=\"" + n.version() + "\",major=\"1\"} 1\n")
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body))}, err
}

func (n *fakeNode) client(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://api", Transport: n, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestReplaceAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		client := node.client(t)
		for _, r := range []Replacement{{Program: own, Version: "v1+dratest"}, {Version: "v1"}} {
			start := time.Now()
			got, err := Replace(t.Context(), node, client, r)
			if err != nil || got.To != r.Program || node.link != r.Program {
				t.Fatalf("got %+v, %v", got, err)
			}
			if got.Downtime < time.Second || got.Downtime > 1500*time.Millisecond || time.Since(start) < 3*time.Second {
				t.Errorf("downtime is %s, returned after %s", got.Downtime, time.Since(start))
			}
			again, err := Replace(t.Context(), node, client, r)
			if err != nil || again.Downtime != 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
		}
		if node.restarts != 2 {
			t.Errorf("%d restarts", node.restarts)
		}
	})
}

func TestReplaceByWhatDoesNotWorkPutsTheOldOneBack(t *testing.T) {
	for name, change := range map[string]func(*fakeNode){
		"not healthy":   func(n *fakeNode) { n.broken = own },
		"wrong version": func(n *fakeNode) { n.reports = "v2+dratest" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := newFakeNode()
				change(node)
				_, err := Replace(t.Context(), node, node.client(t), Replacement{Program: own, Version: "v1+dratest", Timeout: time.Minute})
				for _, message := range []string{"was not working after 1m0s", "no such node", "put back, and works again"} {
					if !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), message) {
						t.Errorf("does not say %q: %v", message, err)
					}
				}
				if node.link != Stock || !node.healthy() {
					t.Errorf("left %q, healthy %t", node.link, node.healthy())
				}
			})
		})
	}
}

func TestReplaceThatCannotRestart(t *testing.T) {
	for name, tc := range map[string]struct {
		full    int
		message string
	}{
		"at all": {1, "put the old kubelet back: restart"},
		"again":  {2, "was not working"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := newFakeNode()
				node.broken, node.full = own, tc.full
				_, err := Replace(t.Context(), node, node.client(t), Replacement{Program: own, Version: "v1+dratest"})
				if err == nil || !strings.Contains(err.Error(), tc.message) || !strings.Contains(err.Error(), "no space left") {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestInterruptedReplaceLeavesTheNewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.broken = own
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := Replace(ctx, node, node.client(t), Replacement{Program: own, Version: "v1+dratest"})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), own+" is in place") || node.link != own {
			t.Errorf("got %v, left %q", err, node.link)
		}
	})
}

func TestPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubelet")
	if err := os.WriteFile(file, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := clusters.ComponentBinary{Path: file, Key: "1"}
	for name, tc := range map[string]struct {
		there string
		want  []string
	}{
		"missing": {"", []string{"asked", "wrote program of 7 bytes to " + own}},
		"there":   {"there\n", []string{"asked"}},
	} {
		var did []string
		node := runner(func(input io.Reader, args []string) (string, error) {
			if input == nil {
				did = append(did, "asked")
				return tc.there, nil
			}
			data, err := io.ReadAll(input)
			did = append(did, fmt.Sprintf("wrote %s of %s bytes to %s", data, args[5], args[4]))
			return "", err
		})
		path, copied, err := Place(t.Context(), node, b)
		if err != nil || path != own || copied != (tc.there == "") || strings.Join(did, ", ") != strings.Join(tc.want, ", ") {
			t.Errorf("%s: %s, %t, %v; did %q", name, path, copied, err, did)
		}
	}
	if _, _, err := Place(t.Context(), runner(func(io.Reader, []string) (string, error) { return "", nil }), clusters.ComponentBinary{Path: "/nowhere"}); err == nil {
		t.Error("a program that does not exist was placed")
	}
}

type runner func(input io.Reader, args []string) (string, error)

func (runner) String() string { return "node" }
func (r runner) Run(_ context.Context, input io.Reader, args ...string) (string, error) {
	return r(input, args)
}

func TestAnswer(t *testing.T) {
	for out, message := range map[string]string{
		"":                           "no kubelet runs",
		"process 7\n":                "process 7 runs another program than that in place",
		"process 7\ncurrent\n":       "process 7 is not healthy",
		"process 7\ncurrent\nok\n":   "process 7 is healthy",
		"process 7\nok\nsomething\n": "process 7 runs another program than that in place",
	} {
		if got := parse(out).String(); got != message {
			t.Errorf("%q: %s", out, got)
		}
	}
}
