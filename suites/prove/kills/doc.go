// Package kills decides which cases have noticed a mutant, of whatever that is: only those
// that pass without it, and that fail for what they check.
//
// Start with Cases: Sound before a mutant is on, Run or RunInTurn while it is, Verdict after.
package kills
