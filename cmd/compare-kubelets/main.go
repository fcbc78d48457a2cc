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

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// options say which kubelets are compared.
type options struct{ kubeconfig, stock, own string }

func main() {
	var o options
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "the cluster; it should do nothing else")
	flag.StringVar(&o.stock, "stock", "", "node with Kubernetes' own kubelet")
	flag.StringVar(&o.own, "own", "", "node with dra-kubelet")
	flag.Parse()
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
	if o.kubeconfig == "" || o.stock == "" || o.own == "" {
		return false, errors.New("-kubeconfig, -stock and -own are needed: hack/compare-kubelets gives them")
	}
	config, err := testbed.ClientConfig(o.kubeconfig, "")
	if err != nil {
		return false, err
	}
	api, err := kubernetes.NewForConfig(config)
	if err != nil {
		return false, err
	}
	pair, err := newPair(ctx, api, o.stock, o.own)
	if err != nil {
		return false, err
	}
	for _, k := range []kubelet{pair.stock, pair.own} {
		if err := k.countRequests(ctx); err != nil {
			return false, fmt.Errorf("have requests counted: %w", err)
		}
	}
	if err := (testbed.Sim{}).Install(ctx, config, []string{o.stock, o.own}); err != nil {
		return false, err
	}
	drivers, err := client.New(config)
	if err != nil {
		return false, err
	}
	defer drivers.Close()
	fmt.Fprintln(os.Stderr, "run pods with claims on both nodes")
	if err := runPods(ctx, api, drivers, o.stock, o.own); err != nil {
		return false, fmt.Errorf("run pods with claims: %w", err)
	}
	fmt.Fprintln(os.Stderr, "compare what the kubelets say")
	answers, err := pair.compare(ctx, func(ctx context.Context) error { return comeAndGo(ctx, api, o.stock, o.own) })
	if err != nil {
		return false, fmt.Errorf("compare what the kubelets say: %w", err)
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
