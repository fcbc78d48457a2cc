// Package bugs gives dra-sim the mutants of drivers/sim/mutants, one after the other, and checks
// that the sanity check fails that is about the bug, and passes with a driver that does not
// have it. The drivers are processes of this machine, with directories of their
// own; only the API server is needed, and no kubelet.
//
// Start with Proof and Prover.
package bugs
