// Package peer runs karpenter's own code (sigs.k8s.io/karpenter) on this project's problems:
// Allocator checks whether claims fit on existing nodes, Provision finds new nodes for pods. It
// converts objects and answers, using karpenter's own code where available (reading slices, finding
// devices in use).
package peer
