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

// Package oracle judges a scheduler's decisions on a problem. It follows the comments of
// k8s.io/api/resource/v1 and the KEPs, not an allocator's code.
//
// Behavior left open by the API is never a violation. If the final state or the search budget does
// not suffice for an answer, Judge counts an undecided question instead of guessing.
//
// Start at Judge. allocation.go has the rules of a single claim, uses.go those of all claims
// together. search.go looks for devices for pending pods and for earlier alternatives.
package oracle
