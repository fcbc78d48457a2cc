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

package plugin

import (
	"errors"
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	kubefeatures "k8s.io/kubernetes/pkg/features"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// features returns the features for the process's feature gates.
func features() (scheduler.Features, error) { return Features(utilfeature.DefaultFeatureGate.Enabled) }

// Features converts feature gates. Gates unknown to the plugin are off by default; enabling one is an
// error, to avoid partial support. The other features are returned in any case.
func Features(on func(featuregate.Feature) bool) (scheduler.Features, error) {
	var errs []error
	for _, gate := range []featuregate.Feature{
		kubefeatures.DRADerivedAttributes,
		kubefeatures.DRADeviceCompatibilityGroups,
		kubefeatures.DRAListTypeAttributes,
		kubefeatures.DRANodeAllocatableResources,
		kubefeatures.DRAOptionalNodeOperations,
		kubefeatures.DRAWorkloadResourceClaims,
	} {
		if on(gate) {
			errs = append(errs, fmt.Errorf("feature gate %s is not supported", gate))
		}
	}
	return scheduler.Features{
		Features: inventory.Features{
			AdminAccess:             on(kubefeatures.DRAAdminAccess),
			PrioritizedList:         on(kubefeatures.DRAPrioritizedList),
			PartitionableDevices:    on(kubefeatures.DRAPartitionableDevices),
			DeviceTaints:            on(kubefeatures.DRADeviceTaints),
			DeviceBindingAndStatus:  on(kubefeatures.DRADeviceBindingConditions) && on(kubefeatures.DRAResourceClaimDeviceStatus),
			ConsumableCapacity:      on(kubefeatures.DRAConsumableCapacity),
			FractionalCapacityRange: on(kubefeatures.DRAFractionalCapacityRange),
		},
		ExtendedResource:       on(kubefeatures.DRAExtendedResource),
		SchedulerFilterTimeout: on(kubefeatures.DRASchedulerFilterTimeout),
	}, errors.Join(errs...)
}
