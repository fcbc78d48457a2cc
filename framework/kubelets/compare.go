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

package kubelets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Clusters creates clusters and switches their components.
type Clusters interface {
	clusters.Provider
	clusters.Switcher
}

// Options configure a comparison of kubelets.
type Options struct {
	Clusters Clusters
	Agents   testbed.Agents
	// Name is the name of the cluster. It is created, and deleted at the end.
	Name string
	// Logs is the directory for the cluster's logs if the kubelets differ; empty for none.
	Logs string
	// Out gets the differences and a summary, Progress the steps.
	Out, Progress io.Writer
}

// Compare creates a cluster, reports whether its kubelets are equivalent, and prints the differences.
func Compare(ctx context.Context, o Options) (same bool, err error) {
	stock, own := o.Name+"-worker", o.Name+"-worker2"
	b, err := testbed.Open(ctx, testbed.Parts{Clusters: o.Clusters, Agents: o.Agents}, testbed.Config{
		Cluster: clusters.Config{Name: o.Name, Stack: clusters.Stack{Kubelet: spec.Own, KubeletNodes: []string{own}}}, Out: o.Progress,
	})
	defer func() {
		if o.Logs != "" && (err != nil || !same) {
			err = errors.Join(err, b.Logs(ctx, o.Logs))
		}
		err = errors.Join(err, b.Close(ctx, nil))
	}()
	if err != nil {
		return false, err
	}
	// dra-kubelet was started on an existing node, so the stock kubelet must be as well: metrics of
	// joining nodes are not compared.
	for _, whose := range []spec.Provenance{spec.Own, spec.Stock} {
		if _, err := o.Clusters.Switch(ctx, o.Name, clusters.Stack{Kubelet: whose, KubeletNodes: []string{stock}}); err != nil {
			return false, err
		}
	}
	return o.compare(ctx, b, stock, own)
}

// compare compares the kubelets of two nodes.
func (o Options) compare(ctx context.Context, b *testbed.Testbed, stock, own string) (same bool, err error) {
	pair, err := newPair(ctx, b.Client, stock, own)
	if err != nil {
		return false, err
	}
	for _, k := range []kubelet{pair.stock, pair.own} {
		if err := k.countRequests(ctx); err != nil {
			return false, fmt.Errorf("count the kubelets' requests: %w", err)
		}
	}
	if err := b.Install(ctx, []string{stock, own}); err != nil {
		return false, err
	}
	agents, err := b.Agents(ctx)
	if err != nil {
		return false, err
	}
	fmt.Fprintln(o.Progress, "run pods with claims on both nodes")
	if err := runPods(ctx, b.Client, agents, stock, own); err != nil {
		return false, fmt.Errorf("run pods with claims: %w", err)
	}
	fmt.Fprintln(o.Progress, "compare the kubelets")
	answers, err := pair.compare(ctx, o.Progress, func(ctx context.Context) error { return comeAndGo(ctx, b.Client, stock, own) })
	if err != nil {
		return false, fmt.Errorf("compare the kubelets: %w", err)
	}
	if err := printWarnings(ctx, b.Client, o.Progress); err != nil {
		return false, fmt.Errorf("read the events of the pods: %w", err)
	}
	fmt.Fprintf(o.Progress, "count requests for %s\n", restTime)
	calls, err := pair.atRest(ctx)
	if err != nil {
		return false, fmt.Errorf("count requests: %w", err)
	}
	return report(o.Out, answers, calls), nil
}

// report prints a line for each difference, then a summary, and returns whether there is no
// difference.
func report(out io.Writer, answers []answer, calls rest) (same bool) {
	var lines, summary []string
	for _, a := range answers {
		lines = append(lines, a.differences...)
		summary = append(summary, a.summary())
	}
	lines = append(lines, calls.differences()...)
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintf(out, "kubelets: %s, API calls at rest=%.0f (stock %.0f)\n", strings.Join(summary, " "), calls.own, calls.stock)
	return len(lines) == 0
}
