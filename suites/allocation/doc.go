// Package allocation holds the cases of the scheduler's search: the devices a claim gets or does not get, and on
// which node. One case per file, named after the rule.
//
// They need no kubelet: each publishes its ResourceSlices itself, so it tests the scheduler alone and takes a second
// or two. A pod meant to stay pending is created after another one got a device of the same slices: then the
// scheduler knows them. Where a pod before the last of several slices would get another device, T.AwaitSeen is
// called.
package allocation
