// Package faults holds what a soak does to a cluster: it kills components, and it
// spoils objects to show that the audit notices.
//
// Start with Kill, Away and Spoil, for soaks with a fabric with KillPart.
package faults
