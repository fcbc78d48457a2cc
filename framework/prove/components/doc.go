// Package components breaks this project's scheduler, controllers and kubelets, and the
// programs that cases start, in many ways, one after the other, and checks that a case fails
// each time that claims to check the requirement that is violated.
//
// What is broken is data (mutants/*.yaml): a text of a source file and what takes its
// place, with ON for whether the mutant is on. Components are built once with all of
// them; a running one is told which is on (docs/adr/0018).
//
// Start with Load, Overlay, Proof and Prover.
package components
