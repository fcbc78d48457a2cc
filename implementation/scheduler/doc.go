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

// Package scheduler is the scheduler plugin for dynamic resource allocation: it
// fetches, asks the core (inventory, state, celeval, allocator) and writes what
// the core decided into ResourceClaims. There is one file for each extension
// point of the scheduling framework; start at Factory, then prefilter.go.
//
// It is not a scheduler: cmd/dra-scheduler puts it into kube-scheduler. It needs
// nothing of k8s.io/kubernetes; what only exists there (metrics, feature gates)
// is passed in with Config.
//
// Left out, because it is off by default in Kubernetes v1.37: claims of pod
// groups, devices that stand for node allocatable resources, devices without node
// operations. docs/adr/0010 lists all differences from the built-in plugin.
package scheduler
