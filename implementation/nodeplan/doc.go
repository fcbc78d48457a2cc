// Package nodeplan decides what the kubelet's DRA manager does next: which claims
// drivers have to prepare or unprepare on this node, and when the checkpoint is
// written.
//
// State holds the claims of the node. Next says what has to be done for some pods:
// calls of drivers and look-ups, which can run side by side, and a WriteCheckpoint. Each
// step is handed out once and answered with ApplyWrite, ApplyCall or ApplyLookUp; then
// Next is asked again, until it says that the pods are done or why they are not. A
// failed step is not handed out again before Retry.
//
// What holds all the time, whenever the kubelet gets killed: the checkpoint lists a
// claim from before the first call of a driver until after the last one. After a
// restart, New knows from it what may be prepared, and drivers are called again:
// their calls are idempotent.
//
// State is not safe for concurrent use. Next must not be called between a
// WriteCheckpoint and its answer, all else may be.
package nodeplan
