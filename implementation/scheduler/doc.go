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

// Package scheduler is the scheduler plugin for dynamic resource allocation. It reads objects, asks
// the core (inventory, state, celeval, allocator), and writes decisions into ResourceClaims. Each
// extension point of the scheduling framework has its file; start at Factory, then prefilter.go.
//
// cmd/dra-scheduler builds the plugin into kube-scheduler. The package does not import
// k8s.io/kubernetes; Config passes in metrics and feature gates.
//
// Not supported, because disabled by default in Kubernetes v1.37: claims of pod groups, devices as
// node allocatable resources, devices without node operations. docs/adr/0010 lists all differences
// from the built-in plugin.
package scheduler
