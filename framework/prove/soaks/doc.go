// Package soaks makes a cluster wrong in every way that a soak has to notice, one after
// the other, and checks that the soak reports the rule that was violated.
//
// Start with Proof, which lists the trials, and Prover, which does them.
package soaks
