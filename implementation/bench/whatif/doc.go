// Package whatif has the what-if problem for benchmarks, our own and the comparison with karpenter.
// Start at Problem.
package whatif
