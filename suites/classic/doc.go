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

// Package classic holds the cases of classic DRA (KEP-3063 in an early revision, and the article on Kubernetes 1.26):
// drivers' controllers allocate claims and negotiate nodes with the scheduler. One case per file, named after what
// happens.
//
// Each case runs its own scheduler and drivers on dratest's machine. Only NodePart also has a node driver and looks
// at containers; the others use simulated nodes.
package classic
