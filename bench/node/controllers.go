package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/objects"
)

// controllers has claims made by Kubernetes' controllers, then by ours.
func (b *bench) controllers(ctx context.Context) (r sides[controllerResult], err error) {
	if r.Stock, err = b.makeClaims(ctx, "stock", "kube-controller-manager"); err != nil {
		return r, err
	}
	r.Own, err = b.makeClaims(ctx, "own", "dra-controller-manager")
	return r, err
}

// makeClaims creates pods that no node takes, each with a claim from a template,
// and waits until all claims are there and the pods know them.
func (b *bench) makeClaims(ctx context.Context, whose, component string) (r controllerResult, err error) {
	change := exec.CommandContext(ctx, b.change, whose)
	change.Stdout, change.Stderr = os.Stderr, os.Stderr
	if err := change.Run(); err != nil {
		return r, fmt.Errorf("switch to %s controllers: %w", whose, err)
	}
	stage, err := b.newStage(ctx, "bench-controllers-"+whose)
	if err != nil {
		return r, err
	}
	defer stage.close()
	fmt.Fprintf(os.Stderr, "%d claims from a template, %s controllers\n", b.claims, whose)
	start := time.Now()
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(10)
	for i := range b.claims {
		pod := objects.PodFromTemplate(fmt.Sprintf("pod-%d", i), podImage, "template")
		pod.Spec.NodeSelector = map[string]string{"bench.dratest.io/nowhere": "true"}
		group.Go(func() error {
			_, err := b.client.CoreV1().Pods(stage.namespace).Create(creating, pod, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return r, fmt.Errorf("create pods: %w", err)
	}
	made := 0
	err = wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		made, err = b.served(ctx, stage.namespace)
		return made == b.claims, err
	})
	if err != nil {
		return r, fmt.Errorf("%d of %d claims were made: %w", made, b.claims, err)
	}
	r.PerSecond = float64(b.claims) / time.Since(start).Seconds()
	if r.Resident, err = b.resident(ctx, component); err != nil {
		return r, err
	}
	return r, stage.clear(ctx)
}

// served is how many pods know their claim.
func (b *bench) served(ctx context.Context, namespace string) (n int, err error) {
	pods, err := b.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return 0, fmt.Errorf("look at the pods: %w", err)
	}
	for i := range pods.Items {
		if len(pods.Items[i].Status.ResourceClaimStatuses) == 1 {
			n++
		}
	}
	return n, nil
}
