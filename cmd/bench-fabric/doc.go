// Command bench-fabric measures dra-composable-controller before a fabric of many devices
// (KEP-5007), on a control plane of processes with simulated nodes: how often it writes
// ResourceSlices when nothing changes and when a few pools do, how long after a device is
// attached its pod is bound, and how much memory it has.
//
// Writes and memory are judged; times are told, as they are the machine's, too. Start at
// main, then measure.go.
package main
