// Package thresholds shows that "dratest perf run" judges right: two of the same are never
// told apart, also beside other load, and a scheduler whose plugin costs a fifth more is told
// from one without that each time.
//
// Start with Proof and Prover.
package thresholds
