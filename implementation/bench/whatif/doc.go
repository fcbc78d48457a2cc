// Package whatif has the what-if problem that benchmarks ask, ours and the one that holds us
// against karpenter. Start at Problem.
package whatif
