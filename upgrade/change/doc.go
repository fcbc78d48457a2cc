// Package change does single steps of a path (package path) on the nodes of a
// running cluster: static pods by manifest and image, kube-proxy by its DaemonSet,
// kubelets by their program, in place. It returns once the component itself says
// that it has the version and the feature gates, and is well.
//
// It builds nothing and decides nothing. Start with Cluster.Do.
package change
