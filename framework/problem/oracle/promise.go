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

package oracle

// promise is a requirement checked by the rules.
type promise struct{ id, cites string }

// The promises checked by the rules.
//
//nolint:gochecknoglobals // a table
var (
	unknownRefused     = promise{"kep-4381/unknown-request-refused", "ExactDeviceRequest.AllocationMode"}
	resultNamesRequest = promise{"kep-4381/results-name-request", "DeviceRequestAllocationResult.Request"}
	exactCount         = promise{"kep-4381/exact-count", "ExactDeviceRequest.Count"}
	allRequests        = promise{"kep-4381/all-requests-satisfied", "DeviceClaim.Requests"}
	everyDevice        = promise{"kep-4381/allocation-mode-all", "ExactDeviceRequest.AllocationMode"}
	allWaits           = promise{"kep-4381/incomplete-pool-waits", "KEP-4815, Validation moved from admission to runtime"}
	atMost32           = promise{"kep-4381/allocation-32-devices", "DeviceAllocationResult.Results"}
	published          = promise{"kep-4381/more-allocated-than-published", "KEP-4381, Publishing node resources"}
	newestGeneration   = promise{"kep-4381/highest-generation-only", "ResourcePool.Generation"}
	completePool       = promise{"kep-4381/incomplete-pool-waits", "ResourcePool.ResourceSliceCount"}
	uniqueDevices      = promise{"kep-4381/device-names-unique-in-pool", "Device.Name"}
	existingCounters   = promise{"kep-4815/counters-of-pool", "KEP-4815, Validation"}
	reachable          = promise{"kep-4381/allocation-restricts-node", "ResourceSliceSpec.NodeName, NodeSelector, AllNodes"}
	ownNodes           = promise{"kep-4815/device-on-own-nodes", "ResourceSliceSpec.PerDeviceNodeSelection"}
	selectorNodes      = promise{"kep-4815/allocation-for-selected-nodes", "AllocationResult.NodeSelector"}
	bindsToNode        = promise{"kep-5007/binds-to-node", "Device.BindsToNode"}
	classExists        = promise{"kep-4381/missing-class-named", "ExactDeviceRequest.DeviceClassName"}
	classSelectors     = promise{"kep-4381/allocate-by-class", "DeviceClassSpec.Selectors"}
	requestSelectors   = promise{"kep-4381/cel-selectors", "ExactDeviceRequest.Selectors"}
	enoughCapacity     = promise{"kep-5075/count-needs-capacity", "CapacityRequirements.Requests"}
	consumption        = promise{"kep-5075/consumed-recorded", "DeviceRequestAllocationResult.ConsumedCapacity"}
	consumedIfShared   = promise{"kep-5075/consumed-only-if-shared", "DeviceRequestAllocationResult.ConsumedCapacity"}
	capacityLimit      = promise{"kep-5075/capacity-not-exceeded", "DeviceRequestAllocationResult.ConsumedCapacity"}
	shareID            = promise{"kep-5075/share-id", "DeviceRequestAllocationResult.ShareID"}
	notShared          = promise{"kep-5075/not-shared-by-default", "Device.AllowMultipleAllocations"}
	tolerated          = promise{"kep-5055/tolerated-or-not", "ExactDeviceRequest.Tolerations"}
	tolerationsCopied  = promise{"kep-5055/tolerations-copied", "DeviceRequestAllocationResult.Tolerations"}
	adminInResult      = promise{"kep-5018/admin-in-result", "DeviceRequestAllocationResult.AdminAccess"}
	adminNamespace     = promise{"kep-5018/admin-namespace-only", "DRAAdminNamespaceLabelKey"}
	counterLimit       = promise{"kep-4815/counters-not-exceeded", "CounterSet"}
	matchAttribute     = promise{"kep-4381/match-attribute", "DeviceConstraint.MatchAttribute"}
	distinctAttribute  = promise{"kep-5075/distinct-attribute", "DeviceConstraint.DistinctAttribute"}
	configOfRequest    = promise{"kep-4381/allocation-tells-all", "DeviceAllocationResult.Config"}
	configOfChosen     = promise{"kep-4816/reference-to-one", "KEP-4816, Design Details"}
	conditionsCopied   = promise{"kep-5007/conditions-copied", "DeviceRequestAllocationResult.BindingConditions, BindingFailureConditions"}
	waitsForConditions = promise{"kep-5007/waits-for-conditions", "Device.BindingConditions"}
	failedIsReleased   = promise{"kep-5007/failure-reschedules", "Device.BindingFailureConditions"}
	timedOutIsReleased = promise{"kep-5007/timeout-reschedules", "KEP-5007, PreBind Phase Timeout"}
	pluginCapacity     = promise{"kep-5004/node-with-device-plugin-by-capacity", "KEP-5004, Scheduling for Extended Resource backed by DRA"}
	noSpecialClaim     = promise{"kep-5004/no-claim-for-device-plugin", "KEP-5004, Resource Claim API"}
	oneSpecialClaim    = promise{"kep-5004/one-special-claim", "KEP-5004, Resource Claim API"}
	goneIfPending      = promise{"kep-5004/claim-gone-if-not-scheduled", "KEP-5004, Resource Claim API"}
	claimInStatus      = promise{"kep-5004/claim-in-pod-status", "PodStatus.ExtendedResourceClaimStatus"}
	requestEach        = promise{"kep-5004/request-per-container-and-resource", "KEP-5004, Resource Claim API"}
	requestOfClass     = promise{"kep-5004/request-of-matching-class", "DeviceClassSpec.ExtendedResourceName"}
	mappingOfPod       = promise{"kep-5004/mapping-names-of-pod", "PodExtendedResourceClaimStatus.RequestMappings"}
	initReuse          = promise{"kep-5004/init-container-reuse", "KEP-5004, Resource Claim API"}
	sidecarKeeps       = promise{"kep-5004/sidecar-keeps-devices", "KEP-5004, Resource Claim API"}
	inOrder            = promise{"kep-4816/alternatives-in-order", "DeviceRequest.FirstAvailable"}
	allocatedFirst     = promise{"kep-4381/allocated-before-bound", "KEP-4381, Components"}
	reservedFirst      = promise{"kep-4381/in-use-means-reserved", "ResourceClaimStatus.ReservedFor"}
	allocationNode     = promise{"kep-4381/allocation-restricts-node", "AllocationResult.NodeSelector"}
	runsIfPossible     = promise{"kep-4381/node-fits-only-if-allocatable", "KEP-4381, kube-scheduler, Filter"}
	releasedIfStuck    = promise{"kep-4381/deallocates-if-stuck", "KEP-4381, kube-scheduler, PostFilter"}
)
