// Package console is what a run prints for people: a line per case that ended, what
// goes on at the moment, the plan's skips, the summary.
package console
