// Package tainteviction is the device taint eviction controller: it evicts pods whose devices have
// untolerated NoExecute taints (KEP-5055) and reports the effect of DeviceTaintRules in their
// status.
//
// evictplan decides; this package watches, evicts on time and reports. It replaces the controller
// of the same name in kube-controller-manager: conditions, events, metrics and the condition of
// evicted pods are the same. It also evicts pods using devices through extended resources.
//
// Start at Controller; syncPod and syncRule do the work.
package tainteviction
