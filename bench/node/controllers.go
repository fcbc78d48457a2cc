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

// side is a set of controllers.
type side struct {
	whose, component string
	result           *controllerResult
}

// controllers has claims made by Kubernetes' controllers, by ours twice, and by
// Kubernetes' again, block after block. A machine gets slower and faster: with
// Kubernetes' controllers alone, rounds a minute apart differed by a third. Within a
// block neither side has the better part of that.
func (b *bench) controllers(ctx context.Context) (r sides[controllerResult], err error) {
	stage, err := b.newStage(ctx, "bench-controllers")
	if err != nil {
		return r, err
	}
	defer stage.close()
	stock := side{"stock", "kube-controller-manager", &r.Stock}
	own := side{"own", "dra-controller-manager", &r.Own}
	working := ""
	for i := range b.blocks {
		took := make(map[string]time.Duration)
		for j, s := range []side{stock, own, own, stock} {
			if s.whose != working {
				if err := stage.use(ctx, s.whose); err != nil {
					return r, err
				}
				working = s.whose
			}
			fmt.Fprintf(os.Stderr, "block %d of %d, round %d of 4: %d claims from a template, %s controllers\n", i+1, b.blocks, j+1, b.claims, s.whose)
			t, err := stage.claimRound(ctx, s)
			if err != nil {
				return r, err
			}
			took[s.whose] += t
		}
		for _, s := range []side{stock, own} {
			s.result.PerSecond = append(s.result.PerSecond, float64(2*b.claims)/took[s.whose].Seconds())
		}
		fmt.Fprintf(os.Stderr, "block %d of %d: %.0f claims per second by stock controllers, %.0f by own ones\n",
			i+1, b.blocks, r.Stock.PerSecond[i], r.Own.PerSecond[i])
	}
	return r, nil
}

// use puts controllers into the cluster and lets them make some claims, so that the
// first round is not the first use.
func (s *stage) use(ctx context.Context, whose string) error {
	change := exec.CommandContext(ctx, s.change, whose)
	change.Stdout, change.Stderr = os.Stderr, os.Stderr
	if err := change.Run(); err != nil {
		return fmt.Errorf("switch to %s controllers: %w", whose, err)
	}
	if _, err := s.makeClaims(ctx, min(100, s.claims)); err != nil {
		return err
	}
	return s.clear(ctx)
}

// claimRound is a round of the controllers that the cluster has.
func (s *stage) claimRound(ctx context.Context, side side) (time.Duration, error) {
	took, err := s.makeClaims(ctx, s.claims)
	if err != nil {
		return 0, err
	}
	resident, err := s.resident(ctx, side.component)
	if err != nil {
		return 0, err
	}
	side.result.Resident = append(side.result.Resident, resident)
	return took, s.clear(ctx)
}

// makeClaims creates n pods that no scheduler looks at, each with a claim from a
// template, and waits until all claims are there and the pods know them.
func (s *stage) makeClaims(ctx context.Context, n int) (time.Duration, error) {
	start := time.Now()
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(20)
	for i := range n {
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
		return made == n, nil
	})
	if err != nil {
		return 0, fmt.Errorf("%d of %d claims were made: %w", made, n, err)
	}
	return time.Since(start), nil
}
