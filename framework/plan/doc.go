// Package plan decides which cases run on a target: it filters the cases as the
// user asked, and leaves out those with a need that the target lacks, with the code
// and the text of spec.Needs.Missing.
//
// It is pure: what the target serves was found out by package probe, and who
// runs the plan is not its business. Start with Build; Select is its first half,
// for when there is no target yet.
package plan
