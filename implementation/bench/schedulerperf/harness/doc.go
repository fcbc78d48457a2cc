// Package harness is one run of upstream's scheduler_perf: one workload of one of upstream's
// workload files, with one scheduler, in a separate process.
//
// It only has test code, because scheduler_perf takes a *testing.B and registers its own flags: the
// test binary is the program, and the surrounding package schedulerperf builds its command line and
// reads its results.
package harness
