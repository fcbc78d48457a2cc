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

package probe

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/spec"
)

// observed returns the features used by objects of the cluster, each with one such object. Objects without list
// permission are skipped.
func observed(ctx context.Context, client kubernetes.Interface) map[spec.Feature]string {
	found := map[spec.Feature]string{}
	if list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{}); err == nil {
		for _, s := range list.Items {
			for _, f := range featuresOf(s.Spec) {
				found[f] = "resourceslice " + s.Name
			}
		}
	}
	if list, err := client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{}); err == nil {
		for _, c := range list.Items {
			if c.Spec.ExtendedResourceName != nil {
				found[spec.ExtendedResource] = "deviceclass " + c.Name
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

func featuresOf(s resourceapi.ResourceSliceSpec) []spec.Feature {
	var found []spec.Feature
	if len(s.SharedCounters) > 0 || s.PerDeviceNodeSelection != nil {
		found = append(found, spec.PartitionableDevices)
	}
	for _, use := range []struct {
		feature spec.Feature
		by      func(resourceapi.Device) bool
	}{
		{spec.PartitionableDevices, func(d resourceapi.Device) bool { return len(d.ConsumesCounters) > 0 }},
		{spec.ConsumableCapacity, func(d resourceapi.Device) bool { return d.AllowMultipleAllocations != nil }},
		{spec.BindingConditions, func(d resourceapi.Device) bool { return len(d.BindingConditions) > 0 }},
		{spec.DeviceTaints, func(d resourceapi.Device) bool { return len(d.Taints) > 0 }},
	} {
		if slices.ContainsFunc(s.Devices, use.by) {
			found = append(found, use.feature)
		}
	}
	return found
}
