// Package testbed brings up what a run, a soak, an upgrade or a benchmark stands on,
// and removes it: a cluster that a provider makes or that a kubeconfig names, a lock or
// a lease that keeps others from it, and the test driver's agents on its nodes.
//
// What runs on it is up to its users. Start with Open.
package testbed
