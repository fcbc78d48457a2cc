// Command race-fabric has two clusters race for the last device of a fabric (KEP-5007),
// round after round: two control planes of processes, each with a pod that wants the device
// at the same moment, and dra-composable-controller before one dra-fabric.
//
// In each round exactly one pod has to be bound, with the device attached to its node; the
// other one is not bound, and is scheduled anew and bound when the winner is gone. Start at
// main, then round.go.
package main
