// Package thresholds holds "dratest perf run" against what it must tell: two of the same are the
// same, also beside other load, and a scheduler that costs a fifth more CPU time costs more.
//
// Start with Proof and Prover.
package thresholds
