// Package standard puts a run together from what dratest ships: all cases, kind
// clusters on this machine, and dra-sim as the test driver.
package standard
