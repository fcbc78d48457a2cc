// Package timeline makes entries of a case's timeline (spec.Timeline) from states of
// objects, driver calls and lines of logs, and merges them into one order. It is pure:
// who watches and reads is framework/harness.
//
// Start with Merge.
package timeline
