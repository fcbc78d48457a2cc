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
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	driver = "bench.dra-conformance.github.io"
	// podImage is on the nodes of dratest's clusters.
	podImage = "dra-conformance.github.io/busybox:1"
	// patience bounds each wait; a round of 200 pods takes about a minute.
	patience = 10 * time.Minute
	// atOnce is how many pods start at a time. All at once would measure how
	// processors are shared out, not how long a kubelet takes.
	atOnce = 4
	// relist is how often a kubelet looks which containers run (k8s.io/kubernetes v1.37.1
	// pkg/kubelet/kubelet.go, genericPlegRelistPeriod). Without a delay of its own each pod
	// would start when another was seen to run, at the same moment of that second again
	// and again: with two stock kubelets that made a third of a second.
	relist = time.Second
	// lookEvery is after how many pods of a node the memory of the kubelets is read. Once
	// a round would measure how long ago the last garbage collection was.
	lookEvery = 10
)

// kubelets starts pods on both nodes, each time one here and then one there: what else
// makes the machine slow for a while makes it slow for both. Before each round both
// kubelets are started anew, and change nodes: none is older, or on the better node.
func (b *bench) kubelets(ctx context.Context, others clusters.Implementation) (r sides[kubeletResult], err error) {
	stage, err := b.newStage(ctx, "bench-kubelets-"+string(others))
	if err != nil {
		return r, err
	}
	defer stage.close()
	for i := range b.rounds {
		here, there := b.nodes[i%2], b.nodes[1-i%2]
		fmt.Fprintf(os.Stderr, "round %d of %d: %d pods on each node, stock kubelet on %s, %s on %s\n", i+1, b.rounds, b.pods, here, others, there)
		if err := stage.renew(ctx, map[string]clusters.Implementation{here: clusters.Stock, there: others}); err != nil {
			return r, err
		}
		if err := stage.kubeletRound(ctx, map[string]*kubeletResult{here: &r.Stock, there: &r.Own}); err != nil {
			return r, err
		}
		stock, own := r.Stock, r.Own
		fmt.Fprintf(os.Stderr, "round %d of %d: started in %.2f s on average with the stock kubelet of %.0f MiB, in %.2f s with the other one (%s) of %.0f MiB\n",
			i+1, b.rounds, stock.Start[i], stock.Resident[i]/mib, own.Start[i], others, own.Resident[i]/mib)
	}
	for i := range b.nodes { // each kubelet on each node
		here, there := b.nodes[i], b.nodes[1-i]
		fmt.Fprintf(os.Stderr, "restarts among %d pods, stock kubelet on %s, %s on %s\n", b.pods, here, others, there)
		if err := stage.renew(ctx, map[string]clusters.Implementation{here: clusters.Stock, there: others}); err != nil {
			return r, err
		}
		if err := stage.restarts(ctx, map[string]*kubeletResult{here: &r.Stock, there: &r.Own}); err != nil {
			return r, err
		}
	}
	return r, nil
}

// restarts restarts kubelets of nodes that are full, and measures how long each time it is until
// another pod runs.
func (s *stage) restarts(ctx context.Context, results map[string]*kubeletResult) error {
	if err := s.fill(ctx, s.nodes[:], s.options.pods, nil); err != nil {
		return err
	}
	for i := range s.rounds {
		for j := range s.nodes {
			node := s.nodes[(i+j)%len(s.nodes)]
			took, err := s.restart(ctx, fmt.Sprintf("restarted-%d-%s", i, node), node)
			if err != nil {
				return fmt.Errorf("restart the kubelet on %s: %w", node, err)
			}
			results[node].Restart = append(results[node].Restart, took.Seconds())
		}
	}
	return s.clear(ctx)
}

// restart restarts a node's kubelet, has one more pod run, and removes that.
func (s *stage) restart(ctx context.Context, pod, node string) (time.Duration, error) {
	old, err := s.metrics(ctx, node)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if _, err := s.drivers.RestartKubelet(ctx, &agentapi.NodeRequest{Node: node}); err != nil {
		return 0, err
	}
	if err := s.awaitNew(ctx, node, old); err != nil {
		return 0, err
	}
	if _, err := s.start(ctx, pod, node); err != nil {
		return 0, err
	}
	took := s.pods.runningSince(pod).Sub(began)
	if err := s.client.CoreV1().Pods(s.namespace).Delete(ctx, pod, metav1.DeleteOptions{}); err != nil {
		return 0, fmt.Errorf("remove pod %s: %w", pod, err)
	}
	return took, wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return s.pods.runningSince(pod).IsZero(), nil
	})
}

// kubeletRound measures kubelets that have just been started.
func (s *stage) kubeletRound(ctx context.Context, results map[string]*kubeletResult) error {
	fresh, err := s.metricsOf(ctx, s.nodes[:])
	if err != nil {
		return err
	}
	if err := s.round(ctx, s.nodes[:], min(5, s.options.pods), nil); err != nil { // so that it is not the first use
		return err
	}
	if err := s.atRest(ctx, fresh); err != nil {
		return err
	}
	warm, err := s.metricsOf(ctx, s.nodes[:])
	if err != nil {
		return err
	}
	if err := s.round(ctx, s.nodes[:], s.options.pods, results); err != nil {
		return err
	}
	after, err := s.metricsOf(ctx, s.nodes[:])
	if err != nil {
		return err
	}
	for node, result := range results {
		result.Prepare = append(result.Prepare, after[node].prepare.since(warm[node].prepare))
		result.Call = append(result.Call, after[node].call.since(warm[node].call))
	}
	return s.atRest(ctx, fresh)
}

// renew gives each node a kubelet that has just been started, with which the driver is
// registered and its devices are published.
func (s *stage) renew(ctx context.Context, whose map[string]clusters.Implementation) error {
	for _, node := range s.nodes {
		old, err := s.metrics(ctx, node)
		if err != nil {
			return err
		}
		done, err := s.switcher.Switch(ctx, s.name, clusters.Stack{Kubelet: whose[node], KubeletNodes: []string{node}})
		if err != nil {
			return err
		}
		if slices.ContainsFunc(done, func(d clusters.Switched) bool { return d.Downtime == 0 }) { // it was there already
			if _, err := s.drivers.RestartKubelet(ctx, &agentapi.NodeRequest{Node: node}); err != nil {
				return err
			}
		}
		if err := s.awaitNew(ctx, node, old); err != nil {
			return err
		}
		// Its own view of the registration is of the old kubelet.
		if err := agentapi.Change(ctx, s.drivers, node, driver, spec.DriverChange{Restart: true}); err != nil {
			return err
		}
		if err := simdriver.StartInstance(ctx, s.drivers, node, s.config); err != nil {
			return err
		}
	}
	return await.Pools(ctx, s.client, driver, len(s.nodes))
}

// awaitNew waits until another kubelet than that of these metrics answers.
func (b *bench) awaitNew(ctx context.Context, node string, old kubeletMetrics) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		now, err := b.metrics(ctx, node)
		return err == nil && now.started > old.started, nil //nolint:nilerr // it does not answer while it restarts
	})
	if err != nil {
		return fmt.Errorf("wait until the kubelet on %s has been started anew: %w", node, err)
	}
	return nil
}

func (b *bench) metricsOf(ctx context.Context, nodes []string) (map[string]kubeletMetrics, error) {
	all := make(map[string]kubeletMetrics)
	for _, node := range nodes {
		m, err := b.metrics(ctx, node)
		if err != nil {
			return nil, err
		}
		all[node] = m
	}
	return all, nil
}

// atRest waits until both kubelets have removed the sandboxes of the last round, which
// they do once a minute. While they are there and go, the same kubelet takes up to a
// fifth longer to start a pod.
func (b *bench) atRest(ctx context.Context, fresh map[string]kubeletMetrics) error {
	for node, was := range fresh {
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
	config    spec.DriverConfig
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
	pool := spec.Pool{}
	for i := range b.pods + 1 { // and one for the pod after a restart
		pool.Devices = append(pool.Devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", i)})
	}
	config := spec.DriverConfig{Name: driver, Profile: spec.Profile{Name: "bench", Pools: []spec.Pool{pool}}}
	for _, node := range b.nodes {
		if err := agentapi.Start(ctx, b.drivers, node, config); err != nil {
			return nil, err
		}
	}
	if err := b.createTemplate(ctx, namespace, early); err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	pods, err := b.watchPods(watching, namespace)
	if err != nil {
		stop()
		return nil, err
	}
	return &stage{bench: b, namespace: namespace, config: config, pods: pods, stop: stop}, nil
}

func (b *bench) createTemplate(ctx context.Context, namespace, name string) error {
	template := objects.Template(name, objects.Claim("", objects.Request("request", driver)))
	if _, err := b.client.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create template %s: %w", name, err)
	}
	return nil
}

func (s *stage) close() { s.stop() }

// round starts n pods with a claim each on each node, and removes them when all run.
func (s *stage) round(ctx context.Context, nodes []string, n int, results map[string]*kubeletResult) error {
	if err := s.fill(ctx, nodes, n, results); err != nil {
		return err
	}
	return s.clear(ctx)
}

// fill starts n pods with a claim each on each node, a few at a time, and returns when all run. It
// adds what it measures to the results, by node.
func (s *stage) fill(ctx context.Context, nodes []string, n int, results map[string]*kubeletResult) error {
	took, looked := make([]map[string]time.Duration, n), make([]map[string]kubeletMetrics, n)
	group, starting := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range took {
		took[i] = make(map[string]time.Duration)
		group.Go(func() (err error) {
			for j := range nodes {
				node := nodes[(i+j)%len(nodes)] // no side is always the first
				select {
				case <-starting.Done():
					return starting.Err()
				case <-time.After(rand.N(relist)):
				}
				if took[i][node], err = s.start(starting, fmt.Sprintf("pod-%d-%s", i, node), node); err != nil {
					return err
				}
			}
			if results == nil || i%lookEvery != 0 {
				return nil
			}
			if looked[i], err = s.metricsOf(starting, nodes); err != nil {
				return fmt.Errorf("measure memory: %w", err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("start pods: %w", err)
	}
	for node, r := range results {
		var start, memory []float64
		for i := range n {
			start = append(start, took[i][node].Seconds())
			if i%lookEvery == 0 {
				memory = append(memory, looked[i][node].resident)
			}
		}
		r.Start = append(r.Start, mean(start))
		r.Slowest = max(r.Slowest, slices.Max(start))
		r.Resident = append(r.Resident, mean(memory))
	}
	return nil
}

// start creates a pod with a claim, and waits until it runs.
func (s *stage) start(ctx context.Context, name, node string) (took time.Duration, err error) {
	pod := objects.OnlyOn(objects.PodFromTemplate(name, podImage, early), node)
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
