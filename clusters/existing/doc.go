// Package existing gives dratest a cluster that somebody else runs, through a
// kubeconfig. It changes nothing there but namespaces and cluster-scoped objects
// that carry dratest's label. Start with Provider.
package existing
