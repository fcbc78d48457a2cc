// Package simulation answers what-if questions about a cluster with DRA: where pods
// would go (Place), how many nodes of which groups they need (Grow), whether a node
// could go (Shrink). It runs kube-scheduler's framework with this project's plugin on
// objects in memory; there is no second logic. Start at New.
//
// Looked at are DRA, resources, ports, taints, declared features, node and pod affinity
// and spreading, and what the plugin's PostFilter takes back.
// Not looked at are volumes, preemption, and which of several nodes that fit has the
// better score: a pod goes to the first one, in the order of names, new nodes last;
// only alternatives of requests are scored. A scheduler that spreads pods may need
// more nodes where pods of different sizes share them.
package simulation
