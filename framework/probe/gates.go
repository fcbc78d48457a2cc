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

package probe

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/metrics"
	"github.com/dra-conformance/dratest/framework/spec"
)

// gateMetric has the state of each gate in every Kubernetes component, with the gate's name as a label and 1 for on.
const gateMetric = "kubernetes_feature_enabled"

// gates reads the DRA feature gates of the API server. Other components could have other gates; a feature not served
// by the API server cannot be used in any case.
func gates(ctx context.Context, client kubernetes.Interface) (map[spec.Feature]bool, error) {
	return readGates(ctx, client.Discovery().RESTClient().Get().AbsPath("/metrics"))
}

// kubeletGates fills in the gates of the nodes' kubelets. Older kubelets lack features, and kubelets of one version
// may have different gates, so each is queried. A kubelet without an answer in half of the probe's time counts as
// unseen.
func kubeletGates(ctx context.Context, client kubernetes.Interface, nodes []spec.Node) {
	ctx, cancel := context.WithTimeout(ctx, limit/2)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(kubeletsAtATime)
	for i := range nodes {
		n := &nodes[i]
		if !n.Schedulable || n.Simulated {
			continue
		}
		group.Go(func() error {
			found, err := readGates(ctx, client.CoreV1().RESTClient().Get().Resource("nodes").Name(n.Name).SubResource("proxy").Suffix("metrics"))
			if err != nil {
				return nil //nolint:nilerr // few users may see it
			}
			maps.DeleteFunc(found, func(f spec.Feature, _ bool) bool { return !f.OnKubelets() })
			n.KubeletGates = found
			return nil
		})
	}
	_ = group.Wait() // There is no error.
}

// kubeletsAtATime bounds the load on the API server, which proxies the requests.
const kubeletsAtATime = 16

func readGates(ctx context.Context, from *rest.Request) (map[spec.Feature]bool, error) {
	body, err := from.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return parseGates(body)
}

// parseGates filters the gates' lines before parsing, because the metrics of a busy API server have tens of
// megabytes.
func parseGates(text io.Reader) (map[spec.Feature]bool, error) {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	var own bytes.Buffer
	own.WriteString("# TYPE " + gateMetric + " gauge\n")
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), gateMetric+"{") {
			own.WriteString(lines.Text() + "\n")
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	families, err := metrics.Parse(&own)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", gateMetric, err)
	}
	found := map[spec.Feature]bool{}
	for _, metric := range families[gateMetric].GetMetric() {
		if gate := metrics.Label(metric, "name"); isDRA(gate) {
			found[spec.Feature(gate)] = metric.GetGauge().GetValue() == 1
		}
	}
	if len(found) == 0 {
		return nil, errors.New("they hold no DRA feature gate")
	}
	return found, nil
}

func isDRA(gate string) bool {
	return strings.HasPrefix(gate, "DRA") || strings.HasPrefix(gate, "DynamicResourceAllocation") ||
		strings.HasPrefix(gate, string(spec.ResourceHealthStatus))
}
