package spec

// PodResources are the devices that the kubelet's podresources API tells of a pod,
// asked for it alone (Get) or for all pods (List).
type PodResources struct {
	List []ContainerDevice `json:"list,omitempty"`
	Get  []ContainerDevice `json:"get,omitempty"`
	// Containers are those that the API lists of the pod, with devices and without.
	Containers []string `json:"containers,omitempty"`
	// Pods are all of the pod's namespace that the API lists.
	Pods []string `json:"pods,omitempty"`
	// Allocatable are the IDs of all devices that GetAllocatableResources answers, whosever
	// they are.
	Allocatable []string `json:"allocatable,omitempty"`
}

// ContainerDevice is a device of a claim in one container.
type ContainerDevice struct {
	Container string `json:"container"`
	Namespace string `json:"namespace"`
	Claim     string `json:"claim"`
	Driver    string `json:"driver"`
	Pool      string `json:"pool"`
	Device    string `json:"device"`
	// Share is the ID of the share of a device that is shared.
	Share string `json:"share,omitempty"`
	// CDIDevices are fully qualified CDI names.
	CDIDevices []string `json:"cdiDevices,omitempty"`
}
