package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	driver = "bench.dratest.io"
	// podImage is on the nodes of dratest's clusters.
	podImage = "dratest.io/busybox:1"
	// patience bounds each wait; a round of 100 pods takes about a minute.
	patience = 10 * time.Minute
	// atOnce is how many pods start at a time. All at once would measure how
	// processors are shared out, not how long a kubelet takes.
	atOnce = 4
)

// kubelets starts pods on both nodes in turn.
func (b *bench) kubelets(ctx context.Context) (r sides[kubeletResult], err error) {
	stage, err := b.newStage(ctx, "bench-kubelets")
	if err != nil {
		return r, err
	}
	defer stage.close()
	nodes := []struct {
		name   string
		result *kubeletResult
	}{{b.stock, &r.Stock}, {b.own, &r.Own}}
	before := map[string]kubeletMetrics{}
	for _, node := range nodes {
		fresh, err := b.metrics(ctx, node.name)
		if err != nil {
			return r, err
		}
		if _, err := stage.round(ctx, node.name, min(5, b.pods)); err != nil { // so that the first round is not the first use
			return r, err
		}
		warm, err := b.metrics(ctx, node.name)
		if err != nil {
			return r, err
		}
		before[node.name] = kubeletMetrics{prepare: warm.prepare, sandboxes: fresh.sandboxes}
	}
	for i := range b.rounds {
		for j := range nodes {
			node := nodes[(i+j)%len(nodes)] // no side is always the first
			if err := b.atRest(ctx, before); err != nil {
				return r, err
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %d pods on %s\n", i+1, b.rounds, b.pods, node.name)
			one, err := stage.round(ctx, node.name, b.pods)
			if err != nil {
				return r, err
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: started in %.2f s on average, kubelet of %.0f MiB\n", i+1, b.rounds, one.start.Seconds(), one.resident/mib)
			node.result.Start = append(node.result.Start, one.start.Seconds())
			node.result.Resident = append(node.result.Resident, one.resident)
		}
	}
	for _, node := range nodes {
		m, err := b.metrics(ctx, node.name)
		if err != nil {
			return r, err
		}
		node.result.Prepare = m.prepare.since(before[node.name].prepare)
	}
	return r, nil
}

// atRest waits until both kubelets have removed the sandboxes of the last round, which
// they do once a minute. While they are there and go, the same kubelet takes up to a
// fifth longer to start a pod, and one side more often than the other.
func (b *bench) atRest(ctx context.Context, before map[string]kubeletMetrics) error {
	for node, was := range before {
		err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
			m, err := b.metrics(ctx, node)
			return m.sandboxes <= was.sandboxes, err
		})
		if err != nil {
			return fmt.Errorf("wait until the kubelet on %s has removed the sandboxes of the last round: %w", node, err)
		}
	}
	return nil
}

// stage is a namespace with a template for claims, devices on both nodes, and a
// look at the pods.
type stage struct {
	*bench
	namespace string
	pods      *podTimes
	stop      context.CancelFunc
}

func (b *bench) newStage(ctx context.Context, namespace string) (*stage, error) {
	fmt.Fprintf(os.Stderr, "prepare namespace %s and devices\n", namespace)
	if _, err := b.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if _, err := b.client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(driver, driver), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	template := objects.Template("template", objects.Claim("", objects.Request("request", driver)))
	if _, err := b.client.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	pool := spec.Pool{}
	for i := range b.pods {
		pool.Devices = append(pool.Devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", i)})
	}
	for _, node := range []string{b.stock, b.own} {
		config := spec.DriverConfig{Name: driver, Profile: spec.Profile{Name: "bench", Pools: []spec.Pool{pool}}}
		if err := b.drivers.Start(ctx, node, config); err != nil {
			return nil, err
		}
	}
	watching, stop := context.WithCancel(ctx)
	pods, err := b.watchPods(watching, namespace)
	if err != nil {
		stop()
		return nil, err
	}
	return &stage{bench: b, namespace: namespace, pods: pods, stop: stop}, nil
}

func (s *stage) close() { s.stop() }

// roundResult is what one round on one node showed.
type roundResult struct {
	start    time.Duration
	resident float64
}

// round starts n pods with a claim each on a node, a few at a time, and removes them
// when all run.
func (s *stage) round(ctx context.Context, node string, n int) (r roundResult, err error) {
	took := make([]time.Duration, n)
	group, starting := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range took {
		group.Go(func() (err error) {
			took[i], err = s.start(starting, fmt.Sprintf("pod-%d", i), node)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return r, fmt.Errorf("start pods on %s: %w", node, err)
	}
	for _, d := range took {
		r.start += d / time.Duration(n)
	}
	m, err := s.metrics(ctx, node)
	if err != nil {
		return r, err
	}
	r.resident = m.resident
	return r, s.clear(ctx)
}

// start creates a pod with a claim, and waits until it runs.
func (s *stage) start(ctx context.Context, name, node string) (took time.Duration, err error) {
	pod := objects.OnlyOn(objects.PodFromTemplate(name, podImage, "template"), node)
	if _, err := s.client.CoreV1().Pods(s.namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return 0, fmt.Errorf("create pod %s: %w", name, err)
	}
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(context.Context) (runs bool, err error) {
		took, runs, err = s.pods.started(name)
		return runs, err
	})
	if err != nil {
		return 0, fmt.Errorf("wait for pod %s: %w", name, err)
	}
	return took, nil
}

// clear removes all pods, and waits until their claims are gone with them.
func (s *stage) clear(ctx context.Context) error {
	if err := s.client.CoreV1().Pods(s.namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("remove pods: %w", err)
	}
	left := 0
	err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		claims, err := s.client.ResourceV1().ResourceClaims(s.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		left = len(claims.Items)
		return left == 0 && s.pods.none(), nil
	})
	if err != nil {
		return fmt.Errorf("wait until pods and claims are gone, %d claims are left: %w", left, err)
	}
	return nil
}
