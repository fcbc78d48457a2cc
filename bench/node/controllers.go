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

// controllers has claims made by Kubernetes' controllers and by ours in turn. A machine
// gets slower and faster: with Kubernetes' controllers alone, rounds a minute apart
// differed by a third. So a round of one side is compared with the next one of the
// other, each side is first as often, and there are many pairs.
func (b *bench) controllers(ctx context.Context) (r sides[controllerResult], err error) {
	stage, err := b.newStage(ctx, "bench-controllers")
	if err != nil {
		return r, err
	}
	defer stage.close()
	stock := side{"stock", "kube-controller-manager", &r.Stock}
	own := side{"own", "dra-controller-manager", &r.Own}
	working := ""
	for i := range b.pairs {
		for _, s := range []side{stock, own} {
			fmt.Fprintf(os.Stderr, "round %d of %d: %d claims from a template, %s controllers\n", i+1, b.pairs, b.claims, s.whose)
			if s.whose != working {
				if err := b.use(ctx, s.whose); err != nil {
					return r, err
				}
				working = s.whose
			}
			if err := stage.controllers(ctx, s); err != nil {
				return r, err
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d: %.0f claims per second by stock controllers, %.0f by own ones\n",
			i+1, b.pairs, r.Stock.PerSecond[i], r.Own.PerSecond[i])
		stock, own = own, stock
	}
	return r, nil
}

// side is a set of controllers.
type side struct {
	whose, component string
	result           *controllerResult
}

// use puts controllers into the cluster.
func (b *bench) use(ctx context.Context, whose string) error {
	change := exec.CommandContext(ctx, b.change, whose)
	change.Stdout, change.Stderr = os.Stderr, os.Stderr
	if err := change.Run(); err != nil {
		return fmt.Errorf("switch to %s controllers: %w", whose, err)
	}
	return nil
}

// controllers measures the controllers that the cluster has.
func (s *stage) controllers(ctx context.Context, side side) error {
	took, err := s.makeClaims(ctx)
	if err != nil {
		return err
	}
	resident, err := s.resident(ctx, side.component)
	if err != nil {
		return err
	}
	side.result.PerSecond = append(side.result.PerSecond, float64(s.claims)/took.Seconds())
	side.result.Resident = append(side.result.Resident, resident)
	return s.clear(ctx)
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
