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

package staticpod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/clusters"
)

// fakeNode is a node with a kubelet: after a change the old container ends after one second, the new one runs after
// two, leads after three, and the API server shows it half a second later.
type fakeNode struct {
	mutex    sync.Mutex
	manifest string
	before   string // image before the change
	changed  time.Time
	changes  int
	broken   bool   // the new component never leads
	version  string // reported by the new component
	full     int    // the first change with a full disk
}

func (*fakeNode) String() string { return "node" }

func (n *fakeNode) Run(ctx context.Context, input io.Reader, args ...string) (string, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	switch {
	case args[0] == "cat":
		return n.manifest, nil
	case strings.Contains(args[2], "mv -T"):
		if n.changes++; n.changes == n.full {
			return "", errors.New("no space left on device")
		}
		text, err := io.ReadAll(input)
		n.before = n.image()
		n.manifest, n.changed = string(text), time.Now()
		return "", err
	case strings.Contains(args[2], "crictl logs"):
		return "panic: no such plugin", nil
	default:
		return n.answer(), nil
	}
}

func (n *fakeNode) age() time.Duration { return time.Since(n.changed) }

func (n *fakeNode) image() string {
	pod, err := decode([]byte(n.manifest))
	if err != nil {
		return ""
	}
	return pod.Spec.Containers[0].Image
}

func (n *fakeNode) answer() string {
	image := n.image()
	say := func(change int, image string, leads int) string {
		version := n.version
		if image == "stock:1" {
			version = "v1"
		} else if n.broken {
			leads = 0
		}
		return fmt.Sprintf("container c%d %s\nok\nkubernetes_build_info{git_version=%q} 1\nleader_election_master_status{name=\"kube-scheduler\"} %d\n",
			change, image, version, leads)
	}
	switch {
	case n.age() < time.Second:
		return say(max(n.changes-1, 0), n.before, 1)
	case n.age() < 2*time.Second:
		return ""
	case n.age() < 3*time.Second:
		return say(n.changes, image, 0)
	default:
		return say(n.changes, image, 1)
	}
}

func (n *fakeNode) client() *fake.Clientset {
	client := &fake.Clientset{}
	client.AddReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		n.mutex.Lock()
		defer n.mutex.Unlock()
		image := n.image()
		if n.age() < 3500*time.Millisecond {
			image = n.before
		}
		return true, &corev1.Pod{
			Spec:   corev1.PodSpec{Containers: []corev1.Container{{Image: image, Command: []string{"kube-scheduler"}}}},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}},
		}, nil
	})
	return client
}

func TestReplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{manifest: string(manifest(t, "stock:1")), before: "stock:1", changed: time.Now(), version: "v2"}
		start := time.Now()
		got, err := Replace(t.Context(), node, node.client(), Replacement{Component: Scheduler(), Manifest: manifest(t, "own:1"), Version: "v2"})
		if err != nil || got.From != "stock:1" || got.To != "own:1" {
			t.Fatalf("got %+v, %v", got, err)
		}
		if got.Downtime() < 2*time.Second || got.Downtime() > 2500*time.Millisecond {
			t.Errorf("downtime is %s", got.Downtime())
		}
		if took := time.Since(start); took < 3500*time.Millisecond || took > 4*time.Second {
			t.Errorf("returned after %s", took)
		}
		again, err := Replace(t.Context(), node, node.client(), Replacement{Component: Scheduler(), Manifest: manifest(t, "own:1"), Version: "v2"})
		if err != nil || again.Downtime() != 0 {
			t.Errorf("again: %+v, %v", again, err)
		}
	})
}

func TestReplaceByWhatDoesNotWorkPutsTheOldOneBack(t *testing.T) {
	for name, node := range map[string]*fakeNode{
		"does not lead": {broken: true, version: "v2"},
		"wrong version": {version: "v3"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node.manifest, node.before, node.changed = string(manifest(t, "stock:1")), "stock:1", time.Now()
				_, err := Replace(t.Context(), node, node.client(), Replacement{Component: Scheduler(), Manifest: manifest(t, "own:1"), Version: "v2", Timeout: time.Minute})
				if !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), "no such plugin") || !strings.Contains(err.Error(), "put back, and kube-scheduler works again") {
					t.Errorf("got %v", err)
				}
				if a, err := Ask(t.Context(), node, Scheduler()); err != nil || !a.Works(Scheduler()) || a.containers[0].image != "stock:1" {
					t.Errorf("returned before the old one worked: %v, %v", a, err)
				}
				if node.manifest != string(manifest(t, "stock:1")) {
					t.Errorf("left %s", node.manifest)
				}
			})
		})
	}
}

func TestInterruptedReplaceLeavesTheNewManifest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{manifest: string(manifest(t, "stock:1")), before: "stock:1", changed: time.Now(), broken: true}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := Replace(ctx, node, node.client(), Replacement{Component: Scheduler(), Manifest: manifest(t, "own:1"), Version: "v2"})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "new manifest of kube-scheduler is in place") {
			t.Errorf("got %v", err)
		}
		if node.manifest != string(manifest(t, "own:1")) {
			t.Errorf("left %s", node.manifest)
		}
	})
}

func TestAnswer(t *testing.T) {
	for _, tc := range []struct{ out, want string }{
		{"", "no container runs; nothing answers"},
		{"container 0123456789abcdef a/b:1\nok\nkubernetes_build_info{git_version=\"v1\",major=\"1\"} 1\n", "container 0123456789ab of a/b:1 runs; v1 answers, is ready and does not lead"},
		{"kubernetes_build_info{git_version=\"v1\"} 1\nleader_election_master_status{name=\"kube-scheduler\"} 1\n", "no container runs; v1 answers and is not ready"},
		{"ok\nkubernetes_build_info{git_version=\"v1\"} 1\nleader_election_master_status{name=\"kube-scheduler\"} 1\n", "no container runs; v1 answers, is ready and leads"},
	} {
		if got := parse(tc.out, Scheduler()).String(); got != tc.want {
			t.Errorf("%q: %s", tc.out, got)
		}
	}
	if a := parse("container a b\nok\nkubernetes_build_info{git_version=\"v1\"} 1\n", APIServer()); !a.Works(APIServer()) || a.Works(Scheduler()) {
		t.Errorf("who leads matters only for some: %v", a)
	}
}

func TestFailedWriteSaysWhichManifestIsInPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		full int
		want []string
	}{
		"of the new manifest":      {1, []string{"no space left", "the old manifest of kube-scheduler is in place on node"}},
		"of the old one, put back": {2, []string{"was not working", "no space left", "the new manifest of kube-scheduler is in place on node"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := &fakeNode{manifest: string(manifest(t, "stock:1")), before: "stock:1", changed: time.Now(), version: "v2", broken: true, full: tc.full}
				_, err := Replace(t.Context(), node, node.client(), Replacement{Component: Scheduler(), Manifest: manifest(t, "own:1"), Version: "v2", Timeout: time.Minute})
				for _, want := range tc.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("does not say %q: %v", want, err)
					}
				}
			})
		})
	}
}

// The old component gets the same time as the new one.
func TestOldManifestOfWhatDidNotWorkEither(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &fakeNode{manifest: string(manifest(t, "other:1")), before: "other:1", changed: time.Now(), version: "v2", broken: true}
		_, err := Replace(t.Context(), node, node.client(), Replacement{Component: Scheduler(), Manifest: manifest(t, "own:1"), Version: "v2", Timeout: time.Minute})
		if err == nil || !strings.Contains(err.Error(), "the old manifest was put back, but: ") {
			t.Errorf("got %v", err)
		}
	})
}
