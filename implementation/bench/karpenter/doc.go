// Command karpenter holds this project's allocator and its what-if against those of
// karpenter (sigs.k8s.io/karpenter v1.15.0), on the same problems: what each costs, and
// how many pods each places on how many nodes; with -differences, whether karpenter
// places pods that we do not. Package peer asks karpenter, package compare looks for
// differences. It is a module of its own, because karpenter wants a newer Go.
//
// Karpenter's allocator has no admin access, tolerations, distinctAttribute, or selection
// of nodes by device; docs/adr/0023-what-karpenter-leaves-out.md says what follows from that.
package main
