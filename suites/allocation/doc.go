// Package allocation holds the cases of the scheduler's search: which devices a claim gets,
// on which node, and which it does not get. One case per file, named after the rule.
//
// They need no kubelet: each publishes its ResourceSlices itself, so that it sees the
// scheduler alone and takes a second or two. A pod that must stay pending is created after
// another one has got a device of the same slices: then the scheduler knows them. Where a pod
// that comes before the last of several slices would get another device, T.AwaitSeen is called.
package allocation
