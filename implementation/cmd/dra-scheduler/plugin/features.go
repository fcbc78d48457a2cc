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

// features returns what the feature gates say. Gates that the plugin does not know
// are off by default; who turns them on must not be served half.
func features() (scheduler.Features, error) {
	on := utilfeature.DefaultFeatureGate.Enabled
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
