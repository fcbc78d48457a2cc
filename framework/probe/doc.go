// Package probe finds out what a cluster serves: the Kubernetes version, the
// versions of resource.k8s.io, the DRA feature gates, the nodes, and which
// control plane components run. It only reads.
//
// What follows from that for the cases is decided by package plan; what makes a
// cluster useless for all of them by Usable. Start with Target.
package probe
