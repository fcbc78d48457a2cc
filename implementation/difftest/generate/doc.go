// Package generate makes random problems for allocators: small, on the border between fitting and
// not fitting, each with some features of claims and devices. Start at Problem.
package generate
