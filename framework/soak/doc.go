// Package soak lets pods with claims come and go on a cluster while something is
// done to it, such as killing or replacing the scheduler, and checks all the time
// what the API objects say (framework/audit).
//
// It asserts nothing about single pods; that is what cases are for. Start with
// Run; docs/adr/0007 has the reasons.
package soak
