// Package kubelet is the kubelet's DRA manager: it fetches claims, calls nodeplan and executes its
// steps: it writes the checkpoint, calls drivers, returns the CDI devices of containers and
// publishes device health.
//
// It is not a kubelet: cmd/dra-kubelet builds it into one. It does not depend on k8s.io/kubernetes:
// metrics, feature gates and the plugin watcher are passed in with Config or call the Manager's
// methods.
//
// Start at Manager. Prepare and Unprepare are in pods.go, with one file each for registration,
// calls, checkpoint, CDI, health, status, removal of ResourceSlices. docs/adr/0012 lists all
// differences from the kubelet's own manager.
package kubelet
