package spec

// Feature is a DRA feature by the name of its Kubernetes feature gate.
type Feature string

// The features of DRA beyond its core, KEP numbers in upstream's
// pkg/features/kube_features.go.
const (
	AdminAccess          Feature = "DRAAdminAccess"
	PrioritizedList      Feature = "DRAPrioritizedList"
	DeviceStatus         Feature = "DRAResourceClaimDeviceStatus"
	ExtendedResource     Feature = "DRAExtendedResource"
	DeviceTaints         Feature = "DRADeviceTaints"
	DeviceTaintRules     Feature = "DRADeviceTaintRules"
	PartitionableDevices Feature = "DRAPartitionableDevices"
	ConsumableCapacity   Feature = "DRAConsumableCapacity"
	BindingConditions    Feature = "DRADeviceBindingConditions"
	ResourceHealthStatus Feature = "ResourceHealthStatus"
)
