// Package tainteviction is the controller that evicts pods whose devices have taints
// with the effect NoExecute which they do not tolerate (KEP-5055), and that tells in the
// status of DeviceTaintRules what these do.
//
// evictplan decides; this package watches, evicts when the time has come, and reports.
// In place of the controller of the same name in kube-controller-manager: conditions,
// events, metrics and the condition of evicted pods are the same. Pods that use devices
// through extended resources are evicted, too.
//
// Start at Controller; syncPod and syncRule do the work.
package tainteviction
