// Package evictplan decides which pods to evict because of device taints (KEP-5055), and when: for
// NoExecute taints, from ResourceSlices or DeviceTaintRules, that an allocated device does not
// tolerate, or no longer tolerates. It also writes the condition reporting a rule's effect.
//
// Pods using extended resources (KEP-5004) are treated like pods with explicit claims, unlike in
// Kubernetes' controller (kubernetes#141290).
//
// The controller keeps Pools up to date, collects the rest in a World, calls ForPod after each
// relevant change, and evicts on time. The package has no clock and no memory: newer objects get a
// new plan. Start at World.
package evictplan
