package spec

// PodResources are the devices that the kubelet's podresources API tells of a pod,
// asked for it alone (Get) or for all pods (List).
type PodResources struct {
	List []ContainerDevice `json:"list,omitempty"`
	Get  []ContainerDevice `json:"get,omitempty"`
}

// ContainerDevice is a device of a claim in one container.
type ContainerDevice struct {
	Container string `json:"container"`
	Claim     string `json:"claim"`
	Pool      string `json:"pool"`
	Device    string `json:"device"`
	// CDIDevices are fully qualified CDI names.
	CDIDevices []string `json:"cdiDevices,omitempty"`
}
