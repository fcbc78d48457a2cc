// Package broken builds the mutants of package mutants into dra-sim. It is a package of its
// own so that dratest, which only lists them, does not link a driver.
//
// Start with By; wrap.go has what they are made of.
package broken
