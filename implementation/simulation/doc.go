/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
