// Package matrix puts conformance reports side by side: a row for each profile and each
// case, a column for each report, named after what differs.
package matrix
