// Package harness is one run of upstream's scheduler_perf: one workload of one of
// upstream's workload files, with one scheduler, in a process of its own.
//
// It has no code outside its tests, because scheduler_perf takes a *testing.B and
// registers its own flags: the test binary is the program, and schedulerperf, the
// package around this one, builds its command line and reads its results.
package harness
