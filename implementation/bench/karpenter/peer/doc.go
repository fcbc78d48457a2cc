// Package peer asks karpenter's own code (sigs.k8s.io/karpenter) what this project asks
// itself: Allocator whether claims fit on nodes that are there, Provision which nodes
// pods need. It hands objects over and takes answers back; what karpenter has of its
// own for that (reading slices, finding out which devices are in use) is used.
package peer
