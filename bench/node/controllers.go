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
	if r.Stock, err = b.controllersOf(ctx, "stock", "kube-controller-manager"); err != nil {
		return r, err
	}
	r.Own, err = b.controllersOf(ctx, "own", "dra-controller-manager")
	return r, err
}

// controllersOf puts one side's controllers into the cluster and measures them.
func (b *bench) controllersOf(ctx context.Context, whose, component string) (r controllerResult, err error) {
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
	for i := range b.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d: %d claims from a template, %s controllers\n", i+1, b.rounds, b.claims, whose)
		took, err := stage.makeClaims(ctx)
		if err != nil {
			return r, err
		}
		r.PerSecond = append(r.PerSecond, float64(b.claims)/took.Seconds())
		if i == b.rounds-1 {
			if r.Resident, err = b.resident(ctx, component); err != nil {
				return r, err
			}
		}
		if err := stage.clear(ctx); err != nil {
			return r, err
		}
	}
	return r, nil
}

// makeClaims creates pods that no scheduler looks at, each with a claim from a template,
// and waits until all claims are there and the pods know them.
func (s *stage) makeClaims(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(20)
	for i := range s.claims {
		pod := objects.PodFromTemplate(fmt.Sprintf("pod-%d", i), podImage, "template")
		pod.Spec.SchedulerName = "nobody.bench.dratest.io"
		group.Go(func() error {
			_, err := s.client.CoreV1().Pods(s.namespace).Create(creating, pod, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, fmt.Errorf("create pods: %w", err)
	}
	made := 0
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		made = s.pods.served()
		return made == s.claims, nil
	})
	if err != nil {
		return 0, fmt.Errorf("%d of %d claims were made: %w", made, s.claims, err)
	}
	return time.Since(start), nil
}
