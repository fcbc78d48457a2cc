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

// Package simulation answers what-if questions about a cluster with DRA: pod placement (Place), the
// number of nodes needed by group (Grow), removal of a node (Shrink). It runs kube-scheduler's
// framework with this project's plugin on objects in memory; there is no second implementation. Start
// at New.
//
// It supports DRA, resources, ports, taints, declared features, node and pod affinity, topology
// spread, and PostFilter's deallocations. It ignores volumes, preemption and node scores, except for
// alternatives of requests: a pod goes to the first fitting node by name, new nodes last. A scheduler
// that spreads pods may need more nodes if pods of different sizes share them.
package simulation
