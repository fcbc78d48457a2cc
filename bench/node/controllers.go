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

// controllers has claims made by Kubernetes' controllers, by ours twice, and by
// Kubernetes' again: a cluster gets slower the more it has seen, and neither side must
// have the better half.
func (b *bench) controllers(ctx context.Context) (r sides[controllerResult], err error) {
	stage, err := b.newStage(ctx, "bench-controllers")
	if err != nil {
		return r, err
	}
	defer stage.close()
	for _, turn := range []struct {
		whose, component string
		result           *controllerResult
	}{
		{"stock", "kube-controller-manager", &r.Stock}, {"own", "dra-controller-manager", &r.Own},
		{"own", "dra-controller-manager", &r.Own}, {"stock", "kube-controller-manager", &r.Stock},
	} {
		change := exec.CommandContext(ctx, b.change, turn.whose)
		change.Stdout, change.Stderr = os.Stderr, os.Stderr
		if err := change.Run(); err != nil {
			return r, fmt.Errorf("switch to %s controllers: %w", turn.whose, err)
		}
		if err := stage.controllers(ctx, turn.whose, turn.component, turn.result); err != nil {
			return r, err
		}
	}
	return r, nil
}

// controllers measures the controllers that the cluster has.
func (s *stage) controllers(ctx context.Context, whose, component string, r *controllerResult) error {
	for i := range s.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d: %d claims from a template, %s controllers\n", i+1, s.rounds, s.claims, whose)
		took, err := s.makeClaims(ctx)
		if err != nil {
			return err
		}
		r.PerSecond = append(r.PerSecond, float64(s.claims)/took.Seconds())
		if len(r.PerSecond) == s.rounds {
			if r.Resident, err = s.resident(ctx, component); err != nil {
				return err
			}
		}
		if err := s.clear(ctx); err != nil {
			return err
		}
	}
	return nil
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
