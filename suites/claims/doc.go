// Package claims holds the cases of what becomes of claims: made from templates, waited
// for, written, shared, used by pods that end, deleted while they are in use. One case per
// file, named after what happens.
//
// They need no kubelet and judge the scheduler and the controllers alone: pods are
// scheduled and need not run, and those that only hold a reservation are not even that.
package claims
