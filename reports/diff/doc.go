// Package diff says what differs between two conformance reports: what cases came to, how
// long they took, and what was tested. Fields compares any two values.
package diff
