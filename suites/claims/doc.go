// Package claims holds the cases of the lifecycle of claims: generated from templates, waited for, written, shared,
// used by pods that end, deleted while in use. One case per file, named after what happens.
//
// They need no kubelet and test scheduler and controllers alone: pods are scheduled and need not run, and mere
// holders of a reservation are not even scheduled.
package claims
