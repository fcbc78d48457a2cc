// Package evictplan decides which pods have to leave because of taints of their devices
// (KEP-5055), and when: taints with the effect NoExecute, of devices in ResourceSlices
// or by DeviceTaintRules, that an allocated device does not tolerate, or not any longer.
// It also words the condition that tells the author of a rule what the rule does.
//
// Pods whose devices were allocated for extended resources (KEP-5004) are treated like
// those that name their claims, different from Kubernetes' controller
// (kubernetes#141290).
//
// The controller keeps Pools up to date, collects the rest in a World, asks ForPod
// whenever something has changed that a pod depends on, and evicts when the time has
// come. There is no clock here and nothing that was decided is kept: what was planned
// from old objects is planned anew from newer ones. Start at World.
package evictplan
