// Package generate makes random problems for allocators: small, near the border
// between what fits and what does not, each with some of the features that claims
// and devices can use. Start at Problem.
package generate
