package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// options say what is measured, and where.
type options struct {
	kubeconfig, stock, own, change, out string
	pods, claims, rounds, blocks        int
}

func main() {
	var o options
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "the cluster; it should do nothing else")
	flag.StringVar(&o.stock, "stock", "", "node with Kubernetes' own kubelet")
	flag.StringVar(&o.own, "own", "", "node with dra-kubelet")
	flag.StringVar(&o.change, "switch", "", "program that is called with stock or own and puts these controllers into the cluster")
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
	config  *rest.Config
	client  kubernetes.Interface
	drivers *client.Client
}

func (o options) run(ctx context.Context) error {
	if o.kubeconfig == "" || o.stock == "" || o.own == "" || o.change == "" {
		return errors.New("-kubeconfig, -stock, -own and -switch are needed: hack/bench-node gives them")
	}
	if o.pods < 1 || o.claims < 1 || o.rounds < 1 || o.blocks < 1 {
		return errors.New("-pods, -claims, -rounds and -blocks must be at least 1")
	}
	config, err := testbed.ClientConfig(o.kubeconfig, "")
	if err != nil {
		return err
	}
	b := &bench{options: o, config: config}
	if b.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if err := (testbed.Sim{}).Install(ctx, config, []string{o.stock, o.own}); err != nil {
		return err
	}
	if b.drivers, err = client.New(config); err != nil {
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
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.out, append(data, '\n'), 0o600); err != nil {
			return err
		}
	}
	r.print(os.Stdout)
	return nil
}
