package core

import "time"

// What a pod has to wait for whose claims could not be prepared: creating its
// sandbox ends then without an error, so the kubelet comes back to the pod only
// with its next look at all pods.
const (
	waitsForResync = "The kubelet looks again at a pod whose claims could not be prepared after its syncFrequency and up to half of that more: " +
		"60 to 90 s by default, 6 to 9 s in clusters that dratest makes (k8s.io/kubernetes v1.37.1 pkg/kubelet/pod_workers.go)."
	resyncTimeout = 4 * time.Minute
)
