// Package evidence reads what lies on a node and explains a failed case: logs of
// kubelet and container runtime, CDI specs, the kubelet's DRA state, plugin
// sockets. It only reads.
//
// Start with Collect.
package evidence
