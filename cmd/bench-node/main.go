package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// options say what is measured.
type options struct {
	name, out                    string
	pods, claims, rounds, blocks int
}

func main() {
	var o options
	flag.StringVar(&o.name, "name", "dratest-bench-node", "name of the cluster that is made, and removed in the end")
	flag.StringVar(&o.out, "out", "", "file for the results as JSON")
	flag.IntVar(&o.pods, "pods", 100, "pods on a node")
	flag.IntVar(&o.claims, "claims", 1000, "claims to be made from a template at a time; events of more than 1000 pods may be lost")
	flag.IntVar(&o.rounds, "rounds", 5, "how often pods are started on each node")
	flag.IntVar(&o.blocks, "blocks", 5, "how often stock, own, own and stock controllers make the claims")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-node:", err)
		os.Exit(3)
	}
}

// results are what was measured, for Kubernetes' own components and for ours.
type results struct {
	Kubelets    sides[kubeletResult]    `json:"kubelets"`
	Controllers sides[controllerResult] `json:"controllers"`
}

type sides[T any] struct {
	Stock T `json:"stock"`
	Own   T `json:"own"`
}

// bench is a cluster to measure in.
type bench struct {
	options
	testbed  *testbed.Testbed
	client   kubernetes.Interface
	drivers  *client.Client
	switcher clusters.Switcher
	// stock and own are the nodes with Kubernetes' own kubelet and with ours.
	stock, own string
}

func (o options) run(ctx context.Context) (err error) {
	if o.pods < 1 || o.claims < 1 || o.rounds < 1 || o.blocks < 1 {
		return errors.New("-pods, -claims, -rounds and -blocks must be at least 1")
	}
	b, err := o.open(ctx)
	defer func() { err = errors.Join(err, b.testbed.Close(ctx, nil)) }()
	if err != nil {
		return err
	}
	defer b.drivers.Close()
	var r results
	if r.Kubelets, err = b.kubelets(ctx); err != nil {
		return fmt.Errorf("measure kubelets: %w", err)
	}
	if r.Controllers, err = b.controllers(ctx); err != nil {
		return fmt.Errorf("measure controllers: %w", err)
	}
	if o.out != "" {
		if err := r.write(o.out); err != nil {
			return err
		}
	}
	r.print(os.Stdout)
	return nil
}

// open makes the cluster, whose testbed must be closed also where the rest fails.
func (o options) open(ctx context.Context) (*bench, error) {
	provider := providers.NewClusters(progress.New(os.Stderr))
	b := &bench{options: o, switcher: provider, stock: o.name + "-worker", own: o.name + "-worker2"}
	config := clusters.Config{
		Name:  o.name,
		Stack: clusters.Stack{Kubelet: clusters.Own, KubeletNodes: []string{b.own}},
		// dratest's own limit of requests would be what is measured of the controllers.
		ComponentArgs: map[string]map[string]string{"controller-manager": {"kube-api-qps": "2000", "kube-api-burst": "4000"}},
	}
	var err error
	b.testbed, err = testbed.Open(ctx, testbed.Parts{Clusters: provider, Agents: testbed.Sim{}}, testbed.Config{Cluster: config, Out: os.Stderr})
	if err != nil {
		return b, err
	}
	b.client = b.testbed.Client
	if err := b.testbed.Install(ctx, []string{b.stock, b.own}); err != nil {
		return b, err
	}
	b.drivers, err = client.New(b.testbed.REST)
	return b, err
}
