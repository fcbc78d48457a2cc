// Package verify holds the files of a report directory against each other and against
// the list of cases that the suite requires. It needs nothing else: no cluster, no
// network. What it cannot notice is in docs/evidence.md.
package verify
