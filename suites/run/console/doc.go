// Package console is what a run prints for people: a line per case that ended,
// a sign of life where nothing ends for a while, the plan's skips, the summary.
package console
