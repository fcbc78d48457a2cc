// Package schedulerperf compares kube-scheduler with and without this project's plugin on
// upstream's own scheduler_perf workloads: it runs each workload alternately with upstream's plugin
// and ours, in separate processes, and reports the ratio of pods per second.
//
// The benchmark itself is upstream's code, linked into the test binary of the folder harness and
// reading upstream's workload files from the module. Our plugin only adds one line per test case,
// naming a scheduler configuration.
//
// Start at Run; docs/adr/0013 discusses the validity of the numbers.
package schedulerperf
