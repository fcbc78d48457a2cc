// Package faults holds what a soak does to a cluster: it kills components, and it
// injects faults that the audit must notice.
//
// Start with Kill, Away and Inject, for a control plane of processes with Restart.
package faults
