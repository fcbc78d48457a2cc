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
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
)

type waiting struct {
	on          Node
	client      kubernetes.Interface
	replacement Replacement
	runs        corev1.Container // the manifest's container
	old         []running        // containers of the manifest before

	lastOld, works time.Time
	seen           string
}

func newWaiting(on Node, client kubernetes.Interface, r Replacement) (*waiting, error) {
	pod, err := decode(r.Manifest)
	if err != nil {
		return nil, err
	}
	return &waiting{on: on, client: client, replacement: r, runs: pod.Spec.Containers[0]}, nil
}

func (w *waiting) wait(ctx context.Context) error {
	timeout := w.replacement.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	c := w.replacement.Component
	err := wait.PollUntilContextTimeout(ctx, pollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		if w.works.IsZero() && !w.worksNow(ctx) {
			return false, nil
		}
		return w.shown(ctx), nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("wait for %s on %s: %w: last seen: %s", c.Name, w.on, context.Cause(ctx), w.seen)
	default:
		return fmt.Errorf("%w: %s on %s was not working after %s: last seen: %s%s",
			clusters.ErrEnvironment, c.Name, w.on, timeout, w.seen, w.lastLogLines(ctx))
	}
}

// saw keeps the last observation, unless it is only the timeout.
func (w *waiting) saw(ctx context.Context, text string) {
	if ctx.Err() == nil {
		w.seen = text
	}
}

func (w *waiting) worksNow(ctx context.Context) bool {
	c := w.replacement.Component
	asked := time.Now()
	a, err := Ask(ctx, w.on, c)
	if err != nil {
		w.saw(ctx, err.Error())
		return false
	}
	w.seen = a.String()
	if slices.ContainsFunc(a.containers, func(r running) bool { return slices.Contains(w.old, r) }) {
		if a.Works(c) {
			w.lastOld = asked
		}
		return false
	}
	if !a.Works(c) || len(a.containers) != 1 || a.containers[0].image != w.runs.Image || a.Version != w.replacement.Version {
		return false
	}
	for gate, on := range w.replacement.Gates {
		if has, known := a.gates[gate]; !known || has != on {
			w.seen += fmt.Sprintf("; feature gate %s is not %t", gate, on)
			return false
		}
	}
	w.works = time.Now()
	return true
}

// shown waits for the API server, so the next reader does not see the old pod.
func (w *waiting) shown(ctx context.Context) bool {
	pod, err := w.client.CoreV1().Pods(metav1.NamespaceSystem).Get(ctx, w.replacement.Component.Name+"-"+w.on.String(), metav1.GetOptions{})
	if err != nil {
		w.saw(ctx, "the API server: "+err.Error())
		return false
	}
	has, statuses := pod.Spec.Containers[0], pod.Status.ContainerStatuses
	if has.Image != w.runs.Image || !slices.Equal(has.Command, w.runs.Command) ||
		len(statuses) == 0 || statuses[0].State.Running == nil {
		w.seen = fmt.Sprintf("the API server shows a pod of image %s with command %q", has.Image, has.Command)
		return false
	}
	return true
}

// lastLogLines returns the last log lines of the component's newest container.
func (w *waiting) lastLogLines(ctx context.Context) string {
	const script = `id=$(crictl ps --all --quiet --name "^$1\$" 2>/dev/null | head -n 1); [ -z "$id" ] || crictl logs --tail 5 "$id" 2>&1`
	out, err := w.on.Run(ctx, nil, "sh", "-c", script, "sh", w.replacement.Component.Name)
	if err != nil || strings.TrimSpace(out) == "" {
		return ""
	}
	return "; its log ends:\n" + strings.TrimSpace(out)
}
