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

package kubelet

import (
	"context"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// wipeDelay is how long a driver may be disconnected before its ResourceSlices are removed: enough
// to restart its container. The kubelet uses the same delay.
const wipeDelay = 30 * time.Second

// allDrivers means all drivers in place of a name.
const allDrivers = ""

type wipe struct{ cancel context.CancelFunc }

// syncWipe schedules the removal of a driver's ResourceSlices if it is disconnected, and cancels it
// otherwise. The lock is held.
func (m *Manager) syncWipe(ctx context.Context, driver string) {
	instance, _ := m.drivers.Pick(driver)
	switch {
	case instance.Connected:
		m.cancelWipe(driver)
	case m.wipes[driver] == nil:
		m.startWipe(context.WithoutCancel(ctx), driver, wipeDelay)
	}
}

// cancelWipe cancels a removal. The lock is held.
func (m *Manager) cancelWipe(driver string) {
	if w := m.wipes[driver]; w != nil {
		w.cancel()
		delete(m.wipes, driver)
	}
}

// startWipe starts a removal after a delay. The lock is held.
func (m *Manager) startWipe(ctx context.Context, driver string, delay time.Duration) {
	if m.node == nil || m.config.Client == nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	w, getNode := &wipe{cancel: cancel}, m.node.get
	m.wipes[driver] = w
	go func() {
		defer cancel()
		if m.sleep(ctx, delay) == nil {
			m.wipeSlices(ctx, getNode, driver)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.wipes[driver] == w {
			delete(m.wipes, driver)
		}
	}()
}

// wipeSlices removes the node's ResourceSlices of a driver. It retries until success or ctx is
// done, with a backoff of one second to five minutes.
func (m *Manager) wipeSlices(ctx context.Context, getNode GetNode, driver string) {
	logger := klog.FromContext(ctx)
	backoff := wait.Backoff{Duration: time.Second, Factor: 2, Jitter: 0.2, Cap: 5 * time.Minute, Steps: 100}
	for {
		err := m.deleteSlices(ctx, getNode, driver)
		if err == nil {
			logger.V(2).Info("Removed ResourceSlices", "driver", driver)
			return
		}
		if ctx.Err() == nil && !apierrors.IsNotFound(err) {
			// The kubelet may not have created the node yet.
			logger.Info("Failed to remove ResourceSlices, will retry", "driver", driver, "err", err)
		}
		if m.sleep(ctx, backoff.Step()) != nil {
			return
		}
	}
}

func (m *Manager) deleteSlices(ctx context.Context, getNode GetNode, driver string) error {
	node, err := getNode(ctx)
	if err != nil {
		return err
	}
	selector := fields.Set{resourceapi.ResourceSliceSelectorNodeName: node.Name}
	if driver != allDrivers {
		selector[resourceapi.ResourceSliceSelectorDriver] = driver
	}
	return m.config.Client.ResourceV1().ResourceSlices().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: selector.String()})
}

// sleep returns an error if ctx is done first.
func (m *Manager) sleep(ctx context.Context, duration time.Duration) error {
	if duration <= 0 {
		return ctx.Err()
	}
	timer := m.config.Clock.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
