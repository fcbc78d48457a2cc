// Package policy has admission policies for clusters with classic DRA, to be applied
// with kubectl. They keep what the API server cannot know: how many pods may use a claim,
// where a scheduler of others would let any number do so, and that a DeviceClass which
// names a ResourceClass is of no use to a scheduler.
package policy
