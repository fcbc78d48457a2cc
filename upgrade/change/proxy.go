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
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/staticpod"
	"github.com/dra-conformance/dratest/upgrade/path"
)

const pollInterval = 200 * time.Millisecond

// proxy changes kube-proxy on all nodes by a rollout of its DaemonSet.
func (c Cluster) proxy(ctx context.Context, step path.Step) error {
	image, err := c.Software.Image(ctx, path.Proxy, step.To.Version)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
		"containers": []map[string]string{{"name": string(path.Proxy), "image": image.Ref}},
	}}}})
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	sets := c.Client.AppsV1().DaemonSets(metav1.NamespaceSystem)
	if _, err := sets.Patch(ctx, string(path.Proxy), types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("%s: change the DaemonSet: %w", step, err)
	}
	return c.await(ctx, step, func(ctx context.Context) (string, error) {
		set, err := sets.Get(ctx, string(path.Proxy), metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		s, want := set.Status, set.Status.DesiredNumberScheduled
		if s.ObservedGeneration != set.Generation || s.UpdatedNumberScheduled != want || s.NumberReady != want {
			return fmt.Sprintf("%d of %d pods are new, %d are ready", s.UpdatedNumberScheduled, want, s.NumberReady), nil
		}
		for _, m := range c.Machines {
			// Its metrics are served on the node's own address only.
			out, err := m.Run(ctx, nil, "curl", "-sS", "--max-time", "5", "http://127.0.0.1:10249/metrics")
			if err != nil {
				return "", err
			}
			if has := staticpod.ParseMetrics(out).Version; has != step.To.Version.String() {
				return fmt.Sprintf("on %s it says that it is %q", m, has), nil
			}
		}
		return "", nil
	})
}

// await polls until there is nothing left to wait for. The error has the last observation.
func (c Cluster) await(ctx context.Context, step path.Step, look func(context.Context) (waiting string, err error)) error {
	last := "nothing"
	err := wait.PollUntilContextTimeout(ctx, pollInterval, c.timeout(), true, func(ctx context.Context) (bool, error) {
		waiting, err := look(ctx)
		if err != nil {
			last = err.Error()
			return false, nil
		}
		last = waiting
		return waiting == "", nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w: last seen: %s", step, context.Cause(ctx), last)
	default:
		return fmt.Errorf("%w: %s: not done after %s: last seen: %s", clusters.ErrEnvironment, step, c.timeout(), strings.TrimSpace(last))
	}
}
