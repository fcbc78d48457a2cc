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

package dramanager

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

// AddSlices publishes slices, with the taints of the manager's DeviceTaintRules.
func (m *Manager) AddSlices(added ...*resourceapi.ResourceSlice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := slices.Clone(m.slices)
	for _, slice := range added {
		next = append(next, tainted(slice, m.rules))
	}
	m.publish(next)
}

// RemoveSlices removes slices with gone(slice).
func (m *Manager) RemoveSlices(gone func(*resourceapi.ResourceSlice) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.publish(slices.DeleteFunc(slices.Clone(m.slices), gone))
}

func (m *Manager) publish(next []*resourceapi.ResourceSlice) {
	before := m.slices
	m.slices = next
	m.onRevert(func() { m.slices = before })
}

func sortedRules(rules []*resourceapi.DeviceTaintRule) []*resourceapi.DeviceTaintRule {
	sorted := slices.Clone(rules)
	slices.SortFunc(sorted, func(a, b *resourceapi.DeviceTaintRule) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// tainted returns a copy of the slice with the rules' taints, or the slice itself if there are none
// (KEP-5055).
func tainted(slice *resourceapi.ResourceSlice, rules []*resourceapi.DeviceTaintRule) *resourceapi.ResourceSlice {
	patched := slice
	for _, rule := range rules {
		for i := range slice.Spec.Devices {
			id := evictplan.DeviceID{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: slice.Spec.Devices[i].Name}
			if !evictplan.Selects(rule, id) {
				continue
			}
			if patched == slice {
				patched = slice.DeepCopy()
			}
			patched.Spec.Devices[i].Taints = append(patched.Spec.Devices[i].Taints, rule.Spec.Taint)
		}
	}
	return patched
}

type sliceLister Manager

// ListWithDeviceTaintRules returns all slices; the list must not be modified.
func (l *sliceLister) ListWithDeviceTaintRules() ([]*resourceapi.ResourceSlice, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slices, nil
}

type classLister Manager

// List returns all classes by name.
func (l *classLister) List() ([]*resourceapi.DeviceClass, error) {
	all := make([]*resourceapi.DeviceClass, 0, len(l.classes))
	for _, class := range l.classes {
		all = append(all, class)
	}
	slices.SortFunc(all, func(a, b *resourceapi.DeviceClass) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Get returns a class or a NotFound error.
func (l *classLister) Get(name string) (*resourceapi.DeviceClass, error) {
	if class, ok := l.classes[name]; ok {
		return class, nil
	}
	return nil, apierrors.NewNotFound(resourceapi.Resource("deviceclass"), name)
}
