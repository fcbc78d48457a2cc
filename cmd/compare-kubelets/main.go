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
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// options say where.
type options struct{ name, logs string }

func main() {
	var o options
	flags := flag.NewFlagSet("compare-kubelets", flag.ExitOnError) // without those of the libraries
	flags.StringVar(&o.name, "name", "dratest-compare", "name of the cluster that is made, and removed in the end")
	flags.StringVar(&o.logs, "logs", "", "folder for the cluster's logs if the kubelets are not the same; nothing for none")
	_ = flags.Parse(os.Args[1:]) // it ends the program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	same, err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare-kubelets:", err)
		os.Exit(3)
	}
	if !same {
		os.Exit(1)
	}
}

// run says whether the kubelets are the same, and prints what is not.
func (o options) run(ctx context.Context) (same bool, err error) {
	provider := providers.NewClusters(progress.New(os.Stderr))
	stock, own := o.name+"-worker", o.name+"-worker2"
	b, err := testbed.Open(ctx, testbed.Parts{Clusters: provider, Agents: testbed.Sim{}}, testbed.Config{
		Cluster: clusters.Config{Name: o.name, Stack: clusters.Stack{Kubelet: clusters.Own, KubeletNodes: []string{own}}}, Out: os.Stderr,
	})
	defer func() {
		if o.logs != "" && (err != nil || !same) {
			err = errors.Join(err, b.Logs(ctx, o.logs))
		}
		err = errors.Join(err, b.Close(ctx, nil))
	}()
	if err != nil {
		return false, err
	}
	// dra-kubelet was started on a node that existed, so the stock kubelet must be, too:
	// what a kubelet counts while its node joins is not compared.
	for _, whose := range []clusters.Implementation{clusters.Own, clusters.Stock} {
		if _, err := provider.Switch(ctx, o.name, clusters.Stack{Kubelet: whose, KubeletNodes: []string{stock}}); err != nil {
			return false, err
		}
	}
	return compare(ctx, b, stock, own)
}

// compare compares the kubelets of two nodes.
func compare(ctx context.Context, b *testbed.Testbed, stock, own string) (same bool, err error) {
	pair, err := newPair(ctx, b.Client, stock, own)
	if err != nil {
		return false, err
	}
	for _, k := range []kubelet{pair.stock, pair.own} {
		if err := k.countRequests(ctx); err != nil {
			return false, fmt.Errorf("have requests counted: %w", err)
		}
	}
	if err := b.Install(ctx, []string{stock, own}); err != nil {
		return false, err
	}
	drivers, err := client.New(b.REST)
	if err != nil {
		return false, err
	}
	defer drivers.Close()
	fmt.Fprintln(os.Stderr, "run pods with claims on both nodes")
	if err := runPods(ctx, b.Client, drivers, stock, own); err != nil {
		return false, fmt.Errorf("run pods with claims: %w", err)
	}
	fmt.Fprintln(os.Stderr, "compare what the kubelets say")
	answers, err := pair.compare(ctx, func(ctx context.Context) error { return comeAndGo(ctx, b.Client, stock, own) })
	if err != nil {
		return false, fmt.Errorf("compare what the kubelets say: %w", err)
	}
	if err := printWarnings(ctx, b.Client, os.Stderr); err != nil {
		return false, fmt.Errorf("read the events of the pods: %w", err)
	}
	fmt.Fprintf(os.Stderr, "count requests for %s\n", restTime)
	calls, err := pair.atRest(ctx)
	if err != nil {
		return false, fmt.Errorf("count requests: %w", err)
	}
	return report(os.Stdout, answers, calls), nil
}

// report prints a line for each difference and then a summary, and says whether there
// was no difference.
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
