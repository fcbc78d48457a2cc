// Package mutants breaks the test driver in every way, one after the other on one
// cluster, and checks that each case fails that says it catches that (Meta.Catches).
//
// Start with Proof, which lists the trials, and Prover, which does them.
package mutants
