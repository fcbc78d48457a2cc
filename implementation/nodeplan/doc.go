// Package nodeplan decides what the kubelet's DRA manager does next: which claims
// drivers have to prepare or unprepare on this node, and when the checkpoint is
// written.
//
// State holds the claims of the node. Next says what has to be done for some pods:
// a WriteCheckpoint comes alone and has to be done and answered first, calls of
// drivers and look-ups can then run side by side. Each step is handed out once and
// answered with ApplyWrite, ApplyCall or ApplyLookUp; then Next is asked again, until
// it says that the pods are done or why they are not. A failed step is not handed out
// again before Retry.
//
// What holds all the time, whenever the kubelet gets killed: the checkpoint lists a
// claim from before the first call of a driver until after the last one. After a
// restart, New knows from it what may be prepared, and drivers are called again:
// their calls are idempotent.
//
// State is not safe for concurrent use. Hold one lock from Next until the checkpoint
// is written, none while drivers are called.
package nodeplan
