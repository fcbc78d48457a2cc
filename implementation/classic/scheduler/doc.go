// Package scheduler is the scheduler plugin for classic DRA, where a driver's own
// controller allocates claims: it asks drivers about nodes with PodScheduling objects,
// decides with classicplan, and reserves claims once they are allocated. There is one
// file for each extension point of the scheduling framework; start at Factory, then
// prefilter.go.
//
// It works beside this project's plugin DRA, which has all other claims of a pod:
// ClassicDRA comes first in PreFilter, Reserve and PreBind, last in Filter, and before
// DefaultPreemption in PostFilter; cmd/dra-scheduler/config-classic.yaml is that order. A
// profile without ClassicDRA reads nothing of classic DRA.
//
// Nothing is polled: events of claims, nodes and classes reach pods as queueing hints,
// those of classic DRA's own objects by informers of the plugin.
//
// Beside kube-scheduler's own rights it needs, in classic.dra-conformance.github.io:
// list and watch on resourceclasses, podschedulings and classicclaims, get, create,
// update and delete on podschedulings, update on classicclaims.
package scheduler
