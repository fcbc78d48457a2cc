// Package classic holds the cases of classic DRA (KEP-3063 in an early revision, and the
// article on Kubernetes 1.26), where drivers' controllers allocate claims, and agree with the
// scheduler about nodes. One case per file, named after what happens.
//
// A case has a scheduler and drivers of its own, all on the machine that dratest runs on.
// Only NodePart has a driver's part on nodes, too, and looks at containers: the others are
// content with simulated nodes.
package classic
