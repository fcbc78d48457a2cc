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

package outage

import (
	"context"
	"fmt"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// interval is the polling interval, the precision of outages.
	interval = 100 * time.Millisecond
	// askTimeout bounds one look.
	askTimeout = 2 * time.Second
)

// Instance is a driver on a node.
type Instance struct {
	Driver, Node string
	Publishing   spec.Publishing
	// Pools is how many it publishes.
	Pools int
}

// Seconds are the longest outages of any one instance, by its driver's way of publishing.
type Seconds struct {
	AtOnce float64 `json:"atOnce"`
	Helper float64 `json:"helper"`
}

// Over is the longer time of each.
func (s Seconds) Over(other Seconds) Seconds {
	return Seconds{AtOnce: max(s.AtOnce, other.AtOnce), Helper: max(s.Helper, other.Helper)}
}

// String lists the outages.
func (s Seconds) String() string {
	return fmt.Sprintf("with a driver that publishes at once: %.1fs; with one that uses the published helper: %.1fs", s.AtOnce, s.Helper)
}

// Meter measures until Stop is called.
type Meter struct {
	client    kubernetes.Interface
	instances []Instance
	cancel    context.CancelFunc
	done      sync.WaitGroup

	mutex   sync.Mutex
	longest Seconds
	// looked is the start of the last answered poll, and away the start of each instance's outage.
	looked time.Time
	away   map[Instance]time.Time
}

// Watch measures the outages of instances with published pools.
func Watch(ctx context.Context, client kubernetes.Interface, instances []Instance) *Meter {
	m := &Meter{client: client, instances: instances, looked: time.Now(), away: map[Instance]time.Time{}}
	ctx, m.cancel = context.WithCancel(ctx)
	m.done.Go(func() { wait.UntilWithContext(ctx, m.look, interval) })
	return m
}

// Stop ends the measurement.
func (m *Meter) Stop() {
	m.cancel()
	m.done.Wait()
}

// Take returns the longest outages since its last call, including ongoing ones.
func (m *Meter) Take() Seconds {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	longest := m.longest
	m.longest = Seconds{}
	return longest
}

// Await waits until all instances are available. The error lists missing ones.
func (m *Meter) Await(ctx context.Context) error {
	if len(m.instances) == 0 {
		return nil
	}
	began := time.Now()
	var away Instance
	err := wait.PollUntilContextCancel(ctx, interval, true, func(context.Context) (bool, error) {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		for _, away = range m.instances {
			if _, gone := m.away[away]; gone {
				return false, nil
			}
		}
		return m.looked.After(began), nil
	})
	if err != nil {
		return fmt.Errorf("wait for the slices of driver %s on %s: %w", away.Driver, away.Node, err)
	}
	return nil
}

// look records missing instances. Without an answer of the API server the state is unknown: an outage lasts from the
// last poll with the instance to the next one.
func (m *Meter) look(ctx context.Context) {
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	list, err := m.client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, instance := range m.instances {
		since, away := m.away[instance]
		there := audit.CompletePools(of(instance, list.Items)) >= instance.Pools
		if !there && !away {
			since, away = m.looked, true
			m.away[instance] = since
		}
		if away {
			m.note(instance.Publishing, asked.Sub(since))
		}
		if there {
			delete(m.away, instance)
		}
	}
	m.looked = asked
}

func (m *Meter) note(publishing spec.Publishing, took time.Duration) {
	seconds := Seconds{AtOnce: took.Seconds()}
	if publishing == spec.PublishByHelper {
		seconds = Seconds{Helper: took.Seconds()}
	}
	m.longest = m.longest.Over(seconds)
}

func of(i Instance, all []resourceapi.ResourceSlice) []resourceapi.ResourceSlice {
	var found []resourceapi.ResourceSlice
	for _, slice := range all {
		if slice.Spec.Driver == i.Driver && ptr.Deref(slice.Spec.NodeName, "") == i.Node {
			found = append(found, slice)
		}
	}
	return found
}
