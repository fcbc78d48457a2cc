// Package run takes a cluster with running claims along a path (package path), step
// by step (package change), does the pieces of the cases between the steps (package
// cases), measures what could not be used meanwhile, and reports.
//
// What it has done is in a file after each piece, so that a run that was
// interrupted, paused, or stopped by a component that did not come back can be gone
// on with. Start with Run; record.go has the file.
package run
