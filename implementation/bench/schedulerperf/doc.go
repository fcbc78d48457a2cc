// Package schedulerperf compares kube-scheduler with and without this project's
// plugin on upstream's own scheduler_perf workloads: it runs each of them with
// upstream's plugin and with ours in turn, in processes of their own, and says how
// many times as many pods per second ours schedules.
//
// It is not the benchmark itself: that is upstream's code, linked into the program
// that the folder harness becomes, reading upstream's workload files where the
// module has them. What is added for our plugin is one line per test case that
// names a scheduler configuration.
//
// Start at Run; docs/adr/0013 says what the numbers are worth.
package schedulerperf
