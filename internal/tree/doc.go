// Package tree holds the tests that keep the tree in shape: who may import
// whom, how long a file may be, and that each package says what it is.
package tree
