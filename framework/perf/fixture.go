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

package perf

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// fixture is the environment for the rounds of one side.
type fixture struct {
	bed                        *testbed.Testbed
	clusters                   Clusters
	client                     kubernetes.Interface
	web                        *http.Client // for metrics and profiles
	version                    string
	processes                  map[string]clusters.Process
	podInformer, claimInformer cache.SharedIndexInformer
	watches                    sync.WaitGroup
	unwatch                    context.CancelFunc

	nodes []corev1.Node
	// generations are the pool generations by node.
	generations []int64

	timings
	requestCounter
	rounds int
}

// open creates the control plane of one side with the objects shared by all rounds of a workload.
// Close the returned field even after an error.
func (o Options) open(ctx context.Context, w Workload, side Side) (*fixture, error) {
	bed, err := o.bringUp(ctx, nil, o.cluster(w, side))
	f := &fixture{bed: bed, clusters: o.Clusters, client: bed.Client}
	if err != nil {
		return f, err
	}
	if f.version, err = kubernetesOf(ctx, bed); err != nil {
		return f, err
	}
	if f.web, err = rest.HTTPClientFor(bed.REST); err != nil {
		return f, fmt.Errorf("make a client: %w", err)
	}
	if f.processes, err = o.Clusters.Processes(bed.Cluster); err != nil {
		return f, err
	}
	if w.Claims == NoClaims && w.Running == 0 {
		err = f.prepare(ctx, w) // takes no time
	} else {
		err = progress.New(o.Out).Step(w.prepared(), w.preparation(), func() error { return f.prepare(ctx, w) })
	}
	if err != nil {
		return f, err
	}
	return f, f.watch(ctx, w)
}

// verbosity sets the usual log level of clusters: at the level of test clusters, logging costs as much
// as scheduling a pod without claims.
func verbosity() map[string]map[string]string {
	args := map[string]string{"v": "2"}
	return map[string]map[string]string{"scheduler": args, "controller-manager": args}
}

// prepare creates all objects needed before the first round.
func (f *fixture) prepare(ctx context.Context, w Workload) error {
	if err := f.setUp(ctx, w); err != nil {
		return err
	}
	return f.run(ctx, w)
}

// prepared describes these objects.
func (w Workload) prepared() string {
	text := fmt.Sprintf("publish %d devices of each node", w.Devices)
	if w.Running > 0 {
		text += fmt.Sprintf(", run %d pods", w.Running)
	}
	return text
}

// preparation is the expected duration of prepare on two processors.
func (w Workload) preparation() time.Duration {
	return time.Duration(w.Nodes)*2*time.Millisecond + time.Duration(w.Running)*16*time.Millisecond
}

// setUp creates the objects shared by all rounds of a workload.
func (f *fixture) setUp(ctx context.Context, w Workload) error {
	nodes, err := f.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	f.nodes, f.generations = nodes.Items, make([]int64, len(nodes.Items))
	if w.Claims == NoClaims {
		return nil
	}
	if _, err := f.client.ResourceV1().DeviceClasses().Create(ctx, w.class(), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create class %s: %w", ClassName, err)
	}
	if err := w.createTemplates(ctx, f.client, namespace); err != nil {
		return err
	}
	return f.publishAll(ctx, w, w.Devices)
}

func (w Workload) createTemplates(ctx context.Context, client kubernetes.Interface, namespace string) error {
	for _, template := range w.templates() {
		if _, err := client.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create template %s: %w", template.Name, err)
		}
	}
	return nil
}

// run creates the long-running pods and waits until they are scheduled.
func (f *fixture) run(ctx context.Context, w Workload) error {
	if w.Running == 0 {
		return nil
	}
	o := spec.Namespace(metav1.ObjectMeta{Name: runningNamespace})
	if _, err := f.client.CoreV1().Namespaces().Create(ctx, o, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create namespace %s: %w", o.Name, err)
	}
	if w.Claims != NoClaims {
		if err := w.createTemplates(ctx, f.client, runningNamespace); err != nil {
			return err
		}
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(createdAtOnce)
	for i := range w.Running {
		group.Go(func() error { return create(inGroup, f.client, runningNamespace, w.pod("running-", i)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	// Limited to one pod, this is cheap even among many.
	waiting := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", "").String(), Limit: 1}
	err := wait.PollUntilContextTimeout(ctx, time.Second, roundTime, true, func(ctx context.Context) (bool, error) {
		pods, err := f.client.CoreV1().Pods(runningNamespace).List(ctx, waiting)
		return err == nil && len(pods.Items) == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for %d running pods to be scheduled: %w", w.Running, err)
	}
	return nil
}

func create(ctx context.Context, client kubernetes.Interface, namespace string, pod *corev1.Pod) error {
	if _, err := client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create pod %s: %w", pod.Name, err)
	}
	return nil
}

// watch watches pods and claims until close.
func (f *fixture) watch(ctx context.Context, w Workload) error {
	// An informer factory would link informers of all kinds: 8 MB.
	informer := func(client rest.Interface, resource string, of runtime.Object) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client, resource, namespace, fields.Everything()), of, 0, nil)
	}
	f.podInformer = informer(f.client.CoreV1().RESTClient(), "pods", &corev1.Pod{})
	f.claimInformer = informer(f.client.ResourceV1().RESTClient(), "resourceclaims", &resourceapi.ResourceClaim{})
	pods := cache.ResourceEventHandlerFuncs{AddFunc: f.pod, UpdateFunc: func(_, o any) { f.pod(o) }}
	if _, err := f.podInformer.AddEventHandler(pods); err != nil {
		return fmt.Errorf("watch pods: %w", err)
	}
	claims := cache.ResourceEventHandlerFuncs{AddFunc: f.claim, UpdateFunc: func(_, o any) { f.claim(o) }, DeleteFunc: f.gone}
	if _, err := f.claimInformer.AddEventHandler(claims); err != nil {
		return fmt.Errorf("watch claims: %w", err)
	}
	ctx, f.unwatch = context.WithCancel(ctx)
	if w.BindAfter.Duration > 0 {
		if err := f.meetConditions(ctx, w.BindAfter.Duration); err != nil {
			return err
		}
	}
	f.watches.Go(func() { f.podInformer.RunWithContext(ctx) })
	f.watches.Go(func() { f.claimInformer.RunWithContext(ctx) })
	if !cache.WaitForCacheSync(ctx.Done(), f.podInformer.HasSynced, f.claimInformer.HasSynced) {
		return fmt.Errorf("watch pods and claims: %w", context.Cause(ctx))
	}
	return nil
}

// close stops the watches before the control plane, so that they log no errors, and removes the
// control plane.
func (f *fixture) close(ctx context.Context) error {
	if f.unwatch != nil {
		f.unwatch()
		f.watches.Wait()
	}
	return f.bed.Close(ctx, nil)
}
