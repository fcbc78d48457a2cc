// Package kills decides which cases have noticed a mutant, of whatever that is: only those
// that pass without it, and that fail for what they check.
//
// Start with Cases.Try; Run, RunInTurn and RunWith are for while the mutant is on.
package kills
