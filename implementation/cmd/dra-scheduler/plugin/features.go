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

// features are those of the process's feature gates.
func features() (scheduler.Features, error) { return Features(utilfeature.DefaultFeatureGate.Enabled) }

// Features returns what feature gates say. Gates that the plugin does not know are off
// by default; who turns them on must not be served half, so that they are an error, for
// which the other features are returned, too.
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
