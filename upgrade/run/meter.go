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

package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// apiInterval and nodeInterval are polling intervals, podInterval the interval between two pods; they limit the
	// precision of downtimes.
	apiInterval  = 200 * time.Millisecond
	nodeInterval = time.Second
	podInterval  = time.Second
	// bindInterval is the polling interval for a waiting pod.
	bindInterval = 50 * time.Millisecond
	// askTimeout bounds one look.
	askTimeout = 2 * time.Second
)

type meter struct {
	client    kubernetes.Interface
	instances []outage.Instance
	devices   *outage.Meter
	namespace string

	mutex   sync.Mutex
	longest Downtimes
}

// take returns the longest downtimes since its last call, including ongoing ones.
func (m *meter) take() Downtimes {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	longest := m.longest
	longest.Devices = m.devices.Take()
	m.longest = Downtimes{}
	return longest
}

func (m *meter) note(d Downtimes) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.longest = m.longest.over(d)
}

// start measures until stop is called. The namespace is for pods made only to be scheduled.
func (m *meter) start(ctx context.Context) (stop func(), err error) {
	ns, err := m.client.CoreV1().Namespaces().Create(ctx, spec.Namespace(metav1.ObjectMeta{GenerateName: "dratest-upgrade-"}), metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("make a namespace: %w", err)
	}
	m.namespace = ns.Name
	running, cancel := context.WithCancel(ctx)
	m.devices = outage.Watch(running, m.client, m.instances)
	var all sync.WaitGroup
	all.Go(func() { m.watchAPI(running) })
	all.Go(func() { m.watchNodes(running) })
	all.Go(func() { m.schedulePods(running) })
	return func() {
		cancel()
		all.Wait()
		m.devices.Stop()
		// Otherwise it goes with the cluster.
		_ = m.client.CoreV1().Namespaces().Delete(context.WithoutCancel(ctx), m.namespace, metav1.DeleteOptions{})
	}, nil
}

func (m *meter) watchAPI(ctx context.Context) {
	good, bad := time.Now(), false
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		asked := time.Now()
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		_, err := discovery.ToDiscoveryInterfaceWithContext(m.client.Discovery()).ServerVersionWithContext(ctx)
		if bad = bad || err != nil; bad {
			m.note(Downtimes{API: asked.Sub(good).Seconds()})
		}
		if err == nil {
			good, bad = asked, false
		}
	}, apiInterval)
}

func (m *meter) watchNodes(ctx context.Context) {
	since := map[string]time.Time{} // not ready
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		nodes, err := m.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return // the API's downtime
		}
		for _, n := range nodes.Items {
			if ready(n) {
				delete(since, n.Name)
				continue
			}
			if _, ok := since[n.Name]; !ok {
				since[n.Name] = time.Now()
			}
			m.note(Downtimes{NotReady: max(time.Since(since[n.Name]), nodeInterval).Seconds()})
		}
	}, nodeInterval)
}

func ready(n corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// schedulePods creates pods one after the other and measures the time until each is bound. No pod starts.
func (m *meter) schedulePods(ctx context.Context) {
	pods := m.client.CoreV1().Pods(m.namespace)
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		began := time.Now()
		name := ""
		_ = wait.PollUntilContextCancel(ctx, bindInterval, true, func(ctx context.Context) (bool, error) {
			m.note(Downtimes{Scheduling: time.Since(began).Seconds()})
			ctx, cancel := context.WithTimeout(ctx, askTimeout)
			defer cancel()
			if name == "" {
				made, err := pods.Create(ctx, probePod(), metav1.CreateOptions{})
				if err == nil {
					name = made.Name
				}
				return false, nil //nolint:nilerr // that it cannot be made is what is measured
			}
			pod, err := pods.Get(ctx, name, metav1.GetOptions{})
			return err == nil && pod.Spec.NodeName != "", nil //nolint:nilerr // as above
		})
		if ctx.Err() != nil {
			return
		}
		m.note(Downtimes{Scheduling: time.Since(began).Seconds()})
		_ = pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
	}, podInterval)
}

func probePod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-"},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: ptr.To[int64](0),
			AutomountServiceAccountToken:  ptr.To(false),
			Containers:                    []corev1.Container{{Name: "none", Image: "dra-conformance.github.io/none:1", ImagePullPolicy: corev1.PullNever}},
		},
	}
}
