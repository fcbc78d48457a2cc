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

package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/upgrade/path"
)

var (
	v36 = path.Version{Minor: 36, Patch: 4}
	v37 = path.Version{Minor: 37, Patch: 1}
)

// world is a cluster of one node "w", including the node's kubelet, kube-proxy and files, and its API server.
type world struct {
	t *testing.T

	mutex    sync.Mutex
	files    map[string]string
	kubelet  string // version
	proxy    string // version
	set      appsv1.DaemonSet
	gates    map[string]bool // reported by the kubelet
	restarts []string        // programs of the kubelet, without flags
	broken   bool            // the new kubelet does not come up
	tainted  int             // how often the node still shows the unreachable taint
	static   []string        // hashes of the static pod "cp", as the API server shows them one after the other
	refusals int             // of the API server's service
	closed   bool            // the node, for pods
	evicted  bool            // the only pod
	did      []string
}

func newWorld(t *testing.T) (*world, Cluster) {
	w := &world{t: t, kubelet: v36.String(), proxy: v36.String(), gates: map[string]bool{}, files: map[string]string{
		kubeletConfig: "featureGates:\n  A: true\nkind: KubeletConfiguration\n",
	}}
	w.set.Status = appsv1.DaemonSetStatus{DesiredNumberScheduled: 1, UpdatedNumberScheduled: 1, NumberReady: 1}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return w, Cluster{Client: client, Machines: []clusters.Machine{w}, Software: shelf{t.TempDir()}}
}

func (*world) String() string { return "w" }

func (w *world) Load(_ context.Context, image clusters.ComponentImage) (bool, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.files["image "+image.Ref] = ""
	return true, nil
}

func (w *world) Run(_ context.Context, input io.Reader, args ...string) (string, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case args[0] == "cat":
		return w.files[args[1]], nil
	case args[0] == "curl" && strings.HasPrefix(args[len(args)-1], "https://10.96.0.1/"):
		if w.refusals--; w.refusals >= 0 {
			return "", errors.New("connection refused")
		}
		return "ok", nil
	case args[0] == "curl":
		return fmt.Sprintf("kubernetes_build_info{git_version=%q} 1\n", w.proxy), nil
	case args[0] == "systemctl":
		w.restarts = append(w.restarts, args[1])
		return "", nil
	case args[0] == "journalctl":
		return "panic: checkpoint is corrupted", nil
	case args[2] == restart:
		w.restarts = append(w.restarts, args[4]+" "+args[5])
		w.did = append(w.did, "kubelet "+filepath.Base(args[4]))
		if !w.broken {
			w.kubelet = filepath.Base(args[4])
			w.gates["B"] = strings.Contains(w.files[kubeletConfig], "B: true")
		}
		return "", nil
	case input != nil:
		content, err := io.ReadAll(input)
		if err == nil && args[5] != fmt.Sprint(len(content)) {
			err = errors.New("the input ends early")
		}
		w.files[args[4]] = string(content)
		return "", err
	default: // is it there, in that size?
		if content, ok := w.files[args[4]]; !ok || args[5] != fmt.Sprint(len(content)) {
			return "", errors.New("it is not there")
		}
		return "", nil
	}
}

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	show := func(o any) {
		out.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(out).Encode(o)
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /api/v1/nodes/w":
		node := corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}}
		node.Name, node.Spec.Unschedulable = "w", w.closed
		node.Status.NodeInfo.KubeletVersion = w.kubelet
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		if w.tainted--; w.tainted >= 0 {
			node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}}
		}
		show(node)
	case "GET /api/v1/nodes/w/proxy/metrics":
		_, _ = fmt.Fprintf(out, "# HELP x\nkubernetes_build_info{git_version=%q,major=\"1\"} 1\n", w.kubelet)
		for gate, on := range w.gates {
			_, _ = fmt.Fprintf(out, "kubernetes_feature_enabled{name=%q,stage=\"BETA\"} %d\n", gate, map[bool]int{true: 1}[on])
		}
	case "GET /api/v1/nodes/w/proxy/pods":
		pods := corev1.PodList{Items: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}}}
		if len(w.static) > 0 {
			pods.Items = append(pods.Items, staticPod("new"))
		}
		show(pods)
	case "GET /api/v1/namespaces/kube-system/pods":
		pods := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
		if len(w.static) > 0 {
			if w.static[0] != "" {
				pods.Items = []corev1.Pod{staticPod(w.static[0])}
			}
			w.static = w.static[min(1, len(w.static)-1):]
		}
		show(pods)
	case "GET /api/v1/namespaces/default/services/kubernetes":
		show(corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.1"}})
	case "PATCH /api/v1/nodes/w":
		body, _ := io.ReadAll(r.Body)
		w.closed = strings.Contains(string(body), "true")
		w.did = append(w.did, map[bool]string{true: "closed", false: "open"}[w.closed])
		show(corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}})
	case "GET /api/v1/pods":
		pods := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
		if !w.evicted {
			daemon := metav1.ObjectMeta{Name: "daemon", Namespace: "ns", OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet"}}}
			pods.Items = []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns", UID: "1"}}, {ObjectMeta: daemon}, staticPod("x")}
		}
		show(pods)
	case "GET /api/v1/namespaces/ns/pods/pod":
		out.WriteHeader(http.StatusNotFound)
		show(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound})
	case "POST /api/v1/namespaces/ns/pods/pod/eviction":
		w.evicted = true
		w.did = append(w.did, "evicted pod")
		show(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess})
	case "PATCH /apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy":
		body, _ := io.ReadAll(r.Body)
		_, version, _ := strings.Cut(string(body), "kube-proxy:")
		w.proxy, _, _ = strings.Cut(version, `"`)
		show(w.set)
	case "GET /apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy":
		show(w.set)
	default:
		w.t.Errorf("unexpected %s %s", r.Method, r.URL)
		out.WriteHeader(http.StatusNotFound)
	}
}

func staticPod(hash string) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "cp", Annotations: map[string]string{
		"kubernetes.io/config.source": "file", configHash: hash, corev1.MirrorPodAnnotationKey: hash,
	}}}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return pod
}

// shelf supplies programs containing their name.
type shelf struct{ dir string }

func (shelf) Image(_ context.Context, c path.Component, v path.Version) (clusters.ComponentImage, error) {
	return clusters.ComponentImage{Ref: string(c) + ":" + v.String(), Kubernetes: v.String()}, nil
}

func (d shelf) Kubelet(_ context.Context, v path.Version) (string, error) {
	name := filepath.Join(d.dir, v.String())
	return name, os.WriteFile(name, []byte("kubelet "+v.String()), 0o755)
}

type switcher struct{ asked []string }

func (s *switcher) Switch(_ context.Context, cluster string, to clusters.Stack) ([]clusters.Switched, error) {
	s.asked = append(s.asked, cluster+" "+to.String())
	return []clusters.Switched{{Downtime: time.Second}}, nil
}
