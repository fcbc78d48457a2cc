// Package audit checks what the API objects of a cluster say about allocations:
// no device handed out twice, nothing left behind, no pod forgotten. It is pure:
// objects in, violations out; whoever reads the objects decides when.
//
// Groups of rules hold at different times. Devices holds in every state of the
// claims, and one list of claims is such a state; so does Failed for pods. Pods holds at every moment,
// but lists of different kinds are not of one moment: check twice and keep what
// Confirm keeps. Settled holds once nothing has happened for a while, Drivers when
// all pods are gone. Attached and AllocatedHeld are like Pods for devices of a fabric and of
// drivers that allocate themselves; AttachedForNobody, PublishedAttached
// and LeftByClassic are like Settled.
//
// It knows nothing of how the scheduler decides, so that it can judge any.
package audit
