// Package perf measures what pods with claims cost, and judges it by thresholds that hold
// on any machine: ratios of two stacks that are measured in turns in one run.
//
// Workloads and thresholds are data (workloads.yaml, thresholds.yaml). Judge is pure: it
// turns the rounds of a run into findings. Rounds run on control planes with nodes that
// kwok simulates, so what kubelets and drivers do is not measured here.
//
// Start with Run.
package perf
