// Package life gives dra-sim, as a vendor would ship it, the bugs that show only with a
// kubelet and a DaemonSet, one after the other, and checks that the cases of suites/life
// fail that are about them, and pass without.
//
// Start with Proof and Prover.
package life
