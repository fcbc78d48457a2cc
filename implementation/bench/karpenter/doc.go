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

// Command karpenter compares this project's allocator and what-if with those of karpenter
// (sigs.k8s.io/karpenter v1.15.0) on the same problems: their costs, and how many pods each places
// on how many nodes; with -differences, whether karpenter places pods we do not. Package peer calls
// karpenter, package compare finds differences. It is a separate module, because karpenter requires
// a newer Go.
//
// Karpenter's allocator has no admin access, tolerations, distinctAttribute, or per-device node
// selection; see docs/adr/0023-what-karpenter-leaves-out.md for the consequences.
package main
