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

package core

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case {
	return slices.Concat(
		perGRPC(OneDevice),
		[]harness.Case{
			bothGRPC(OneDevice),
			Parameters,
			TemplateClaim,
			SharedByContainers,
			SharedByPods,
			UsedInTurn,
			InitContainer,
			ContainerRestarted,
			NoClaimNoDevice,
			OneRequestOneDevice,
			Count,
			FirstAvailable,
			AllDevices,
			Selectors,
			DeviceAppears,
			ClassAppears,
			BypassScheduler,
			Metadata,
			MetadataOfTemplate,
			AdminAccess,
			SharedCapacity,
			Partition,
			DeviceStatus,
			BindingConditions,
		},
		perGRPC(PrepareRetried),
		perGRPC(UnprepareRetried),
		perGRPC(ForceDeleted),
		[]harness.Case{
			DriverComesLater,
			SlicesFollowDriver,
			EndedPod,
		},
	)
}

// perGRPC returns one case for each version of the kubelet's plugin API. The newest version
// keeps the plain ID.
func perGRPC(c harness.Case) []harness.Case {
	newest, old := c, c
	newest.Needs.GRPC = []spec.GRPCVersion{spec.GRPCv1}
	old.ID += "-v1beta1"
	old.Needs.Devices = 0 // a driver under test chooses its own versions
	old.Needs.GRPC = []spec.GRPCVersion{spec.GRPCv1beta1}
	return []harness.Case{newest, old}
}

// bothGRPC returns a case for a driver with all versions of the plugin API.
func bothGRPC(c harness.Case) harness.Case {
	c.ID += "-both-apis"
	return c
}
