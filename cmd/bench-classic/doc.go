// Command bench-classic measures classic DRA (docs/classic.md), where drivers allocate claims
// themselves, on a control plane of processes with simulated nodes: how much later a single
// pod is bound than one without claims, and after how many more attempts of the scheduler;
// how many pods a second are bound when many are created; and what scheduler and driver ask
// of the API server while nothing changes.
//
// Each number has a limit and is judged. Start at main, then measure.go; judge.go has the
// limits.
package main
