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
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// GatherEvidence writes the evidence of a failure, once per case. Call it before
// restoring the cluster, to keep the state of the failure.
func (t *T) GatherEvidence(ctx context.Context) {
	if t.folder == "" || t.provisional {
		t.provisional = false
		t.gather(ctx)
	}
}

// gather writes evidence into the case's directory before anything is cleaned up. missing.txt lists
// unreadable sources.
func (t *T) gather(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, GatherTimeout, fmt.Errorf("gathering took longer than %s", GatherTimeout))
	defer cancel()
	t.folder = folderOf(t.meta.ID)
	w := OpenEvidence(t.env.ReportDir, t.meta.ID)
	// A panic here must not hide the case's failure.
	defer func() {
		if p := recover(); p != nil {
			w.Problem("everything after this", fmt.Errorf("panic: %v", p))
		}
		w.Close()
		// If nothing can be written, the outcome reports it.
		if w.useless() {
			t.folder, t.lost = "", strings.Join(w.missing, "; ")
		}
	}()
	w.File("steps.txt", t.stepsText())
	if t.Client != nil && t.Namespace != "" {
		t.gatherObjects(ctx, w)
		t.gatherPodLogs(ctx, w)
		t.gatherEvents(ctx, w)
		t.gatherComponents(ctx, w)
	}
	for _, gather := range all(&t.Hooks, &t.evidence) {
		gather(ctx, w)
	}
	if !t.meta.Needs.NoKubelet { // else no agent may be there
		t.gatherNodes(ctx, w)
	}
}

// nodesOfPods are the case's nodes. With a driver under test, the scheduler chooses others, too: those of the case's pods,
// and of deleted ones by the kubelets' events.
func (t *T) nodesOfPods(ctx context.Context) []string {
	if t.env.driverUnderTest() == "" || t.Client == nil || t.Namespace == "" {
		return t.Nodes
	}
	nodes := slices.Clone(t.Nodes)
	if pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{}); err == nil {
		for _, p := range pods.Items {
			nodes = append(nodes, p.Spec.NodeName)
		}
	}
	if events, err := t.Client.CoreV1().Events(t.Namespace).List(ctx, metav1.ListOptions{}); err == nil {
		for _, e := range events.Items {
			if e.Source.Component == "kubelet" {
				nodes = append(nodes, e.Source.Host)
			}
		}
	}
	slices.Sort(nodes)
	return slices.DeleteFunc(slices.Compact(nodes), func(node string) bool { return node == "" })
}

// gatherNodes reads logs and files of the case's nodes.
func (t *T) gatherNodes(ctx context.Context, w *Evidence) {
	for _, node := range t.nodesOfPods(ctx) {
		files, err := agentapi.ReadEvidence(ctx, t.env.Agents, node, t.started)
		w.Problem("node "+node, err)
		for name, content := range files {
			w.File(filepath.Join("nodes", node, name), content)
		}
	}
}

func (t *T) stepsText() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s\n\n", t.meta.ID, t.meta.Checks)
	for _, s := range t.stepsSoFar() {
		b.WriteString(s.since(t.started) + "\n")
	}
	if why := t.why(); why != "" {
		b.WriteString("\n" + why + "\n")
	}
	return b.Bytes()
}

func (t *T) gatherObjects(ctx context.Context, w *Evidence) {
	all := metav1.ListOptions{}
	list := func(name string, objects runtime.Object, err error) {
		w.Problem(name, err)
		if err == nil {
			w.Object(filepath.Join("objects", name+".yaml"), objects)
		}
	}
	pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, all)
	list("pods", pods, err)
	claims, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(ctx, all)
	list("resourceclaims", claims, err)
	templates, err := t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace).List(ctx, all)
	list("resourceclaimtemplates", templates, err)
	for _, o := range t.tracked() {
		if clusterScoped(o) {
			err := t.objects.Get(ctx, o.GetName(), "", o)
			list(strings.ReplaceAll(describe.Object(o), " ", "."), o, err)
		}
	}
	if driver := t.DriverName(); driver != "" {
		published, err := t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: await.OfDriver(driver)})
		list("resourceslices", published, err)
	}
}

func (t *T) gatherPodLogs(ctx context.Context, w *Evidence) {
	pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
	w.Problem("pod logs", err)
	if err != nil {
		return
	}
	for _, p := range pods.Items {
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			log, err := ReadLog(ctx, t.Client, p.Namespace, p.Name, corev1.PodLogOptions{Container: c.Name})
			w.Problem("log of container "+c.Name+" in pod "+p.Name, err)
			if err == nil {
				w.File(filepath.Join("pods", p.Name+"."+c.Name+".log"), log)
			}
		}
	}
}

func (t *T) gatherEvents(ctx context.Context, w *Evidence) {
	events, err := t.Client.CoreV1().Events(t.Namespace).List(ctx, metav1.ListOptions{})
	w.Problem("events", err)
	if err != nil {
		return
	}
	var b bytes.Buffer
	for _, e := range describe.InOrder(events.Items) {
		fmt.Fprintf(&b, "%s %s/%s %s\n", describe.LastSeen(e).UTC().Format(time.RFC3339Nano),
			strings.ToLower(e.InvolvedObject.Kind), e.InvolvedObject.Name, describe.Event(e))
	}
	w.File("events.txt", b.Bytes())
}

// gatherComponents reads the logs of the control plane's pods since the case started.
func (t *T) gatherComponents(ctx context.Context, w *Evidence) {
	since := metav1.NewTime(t.started)
	for _, component := range []string{"kube-scheduler", "kube-controller-manager"} {
		pods, err := t.Client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=" + component})
		w.Problem(component, err)
		if err != nil {
			continue
		}
		if len(pods.Items) == 0 {
			w.Problem(component, errors.New("has no visible pod"))
		}
		for _, p := range pods.Items {
			log, err := ReadLog(ctx, t.Client, p.Namespace, p.Name, corev1.PodLogOptions{SinceTime: &since, TailLines: ptr.To[int64](maxLines)})
			w.Problem(component, err)
			w.File(p.Name+".log", log)
		}
	}
}

// ReadLog returns a container's log, or a part of it with an error. Unlike DoRaw, a stream reports
// why the server refuses.
func ReadLog(ctx context.Context, client kubernetes.Interface, namespace, pod string, options corev1.PodLogOptions) ([]byte, error) {
	stream, err := client.CoreV1().Pods(namespace).GetLogs(pod, &options).Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stream.Close() }()
	return io.ReadAll(io.LimitReader(stream, MaxLog))
}
