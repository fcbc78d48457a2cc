// Package kubelet is the kubelet's DRA manager: it fetches claims, asks nodeplan what
// to do, and does it: writes the checkpoint, calls drivers, tells the kubelet which
// CDI devices containers get, publishes the health of devices.
//
// It is not a kubelet: cmd/dra-kubelet puts it into one. It needs nothing of
// k8s.io/kubernetes; what only exists there (metrics, feature gates, the plugin
// watcher) is passed in with Config or calls the Manager's methods.
//
// Start at Manager. Prepare and Unprepare are in pods.go, one file each for
// registration, calls, checkpoint, CDI, health, status, removal of ResourceSlices.
// docs/adr/0012 lists all differences from the kubelet's own manager.
package kubelet
