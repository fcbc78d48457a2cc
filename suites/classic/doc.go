// Package classic holds the cases of classic DRA (KEP-3063 in an early revision, and the article on Kubernetes 1.26):
// drivers' controllers allocate claims and negotiate nodes with the scheduler. One case per file, named after what
// happens.
//
// Each case runs its own scheduler and drivers on dratest's machine. Only NodePart also has a node driver and looks
// at containers; the others use simulated nodes.
package classic
