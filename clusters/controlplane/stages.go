package controlplane

import (
	"strings"

	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
)

// stages are what kwok does with nodes and pods, from its own module: nodes become
// ready, pods run as soon as they are scheduled, those of jobs complete, and deleted
// ones go. There is no heartbeat (docs/adr/0014).
func stages() string {
	return strings.Join([]string{nodefast.DefaultNodeInit, podfast.DefaultPodReady, podfast.DefaultPodComplete, podfast.DefaultPodDelete}, "\n---\n")
}
