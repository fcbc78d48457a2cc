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

// Package sampledriver is a classic DRA driver for tests and demos: it allocates devices existing
// only in its state file, one per claim, on nodes or in a network reachable from nodes. Parameters
// are the data of a ConfigMap, or the spec fields of any other object. It can inject failures.
//
// It is the control plane part; "dra-sim driver --classic" prepares its devices on nodes, using the
// handles of allocations. Start at New; cmd/dra-classic-driver runs it.
package sampledriver
