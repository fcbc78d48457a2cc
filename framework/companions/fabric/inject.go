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

package fabric

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Injections lists the faults beside kills.
func (s *Soak) Injections() []faults.Inject {
	return []faults.Inject{
		faults.NewInject("detached-in-use", audit.DetachedInUse, s.detachInUse),
		faults.NewInject("had-by-two", audit.HadByTwo, s.giveTwice),
		faults.NewInject("published-unattached", audit.PublishedUnattached, s.publishUnattached),
		faults.LeakedClaim(),
	}
}

// detachInUse manually detaches devices of claims in use.
func (s *Soak) detachInUse(ctx context.Context, target soak.Target) error {
	return wait.PollUntilContextCancel(ctx, faults.Pause, true, func(ctx context.Context) (bool, error) {
		devices, err := s.fabric.Devices(ctx)
		if err != nil {
			return false, err
		}
		used, err := usedDevices(ctx, target, devices)
		if err != nil || len(used) < 2 {
			return false, err
		}
		detached := 0
		for _, id := range used {
			if devices[id].Phase != "Attached" {
				continue
			}
			if err := s.fabric.Change(ctx, spec.FabricChange{Detach: id}); err != nil {
				return false, err
			}
			detached++
		}
		return detached > 1, nil
	})
}

// usedDevices returns the devices of claims in use, in order.
func usedDevices(ctx context.Context, target soak.Target, devices map[string]spec.FabricDevice) ([]string, error) {
	claims, err := target.Client.ResourceV1().ResourceClaims(target.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	seen := audit.Fabric{Driver: target.Driver, Devices: slices.Collect(maps.Values(devices)), Claims: claims.Items}
	var used []string
	for _, u := range audit.FabricUses(seen) {
		used = append(used, u.Device)
	}
	slices.Sort(used)
	return slices.Compact(used), nil
}

// hosts is the number of pods giveTwice makes claims for: each may end at any moment.
const hosts = 3

// giveTwice allocates an attached device to two claims, as devices of different pools, and reserves them for running
// pods.
func (s *Soak) giveTwice(ctx context.Context, target soak.Target) error {
	var pods []corev1.Pod
	device := ""
	err := wait.PollUntilContextCancel(ctx, faults.Pause, true, func(ctx context.Context) (bool, error) {
		list, err := target.Client.CoreV1().Pods(target.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		pods = slices.DeleteFunc(list.Items, func(p corev1.Pod) bool { return p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil })
		devices, err := s.fabric.Devices(ctx)
		if err != nil {
			return false, err
		}
		used, err := usedDevices(ctx, target, devices)
		if err != nil || len(used) == 0 || len(pods) < hosts {
			return false, err
		}
		device = used[0]
		return true, nil
	})
	if err != nil {
		return err
	}
	// The youngest stay for longest.
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return cmp.Compare(b.CreationTimestamp.Unix(), a.CreationTimestamp.Unix()) })
	for i, pod := range pods[:hosts] {
		for j := range 2 {
			claim := objects.Claim(fmt.Sprintf("spoiled-%d-%d", i, j), objects.Request("device", "none"))
			result := resourceapi.DeviceRequestAllocationResult{Driver: target.Driver, Pool: fmt.Sprintf("%s-%d", faults.Nobody, j), Device: device}
			if err := faults.Allocate(ctx, target, claim, result, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID}); err != nil {
				return err
			}
		}
	}
	return nil
}

// publishUnattached publishes a fabric device as local to a missing node, as a stale driver would.
func (s *Soak) publishUnattached(ctx context.Context, target soak.Target) error {
	devices, err := s.fabric.Devices(ctx)
	if err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(devices))
	if len(ids) == 0 {
		return errors.New("the fabric has no device")
	}
	_, err = target.Client.ResourceV1().ResourceSlices().Create(ctx, &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "spoiled-", Labels: map[string]string{spec.LabelManagedBy: spec.ManagedBy}},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: target.Driver, NodeName: ptr.To(faults.Nobody), Pool: resourceapi.ResourcePool{Name: faults.Nobody, Generation: 1, ResourceSliceCount: 1},
			Devices: []resourceapi.Device{{Name: ids[len(ids)-1]}},
		},
	}, metav1.CreateOptions{})
	return err
}
