// Package markdown renders a report for people: the verdict first, then what
// did not pass and why, then what was tested.
package markdown
