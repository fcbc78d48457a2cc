// Package simdriver drives dratest's own test driver for the case that it belongs to.
package simdriver
