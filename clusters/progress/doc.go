// Package progress prints what takes long while it runs: a line when a step
// starts, one every few seconds while it goes on, and one when it ends. In a
// terminal what goes on is drawn in place instead (live).
package progress
