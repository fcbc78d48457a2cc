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

// Package components mutates this project's scheduler, controllers and kubelets, and programs started by cases, one
// mutant after the other, and checks each time that a case for the violated requirement fails.
//
// Mutants are data (mutants/*.yaml): a text of a source file and its replacement, with ON for whether the mutant is
// on. Components are built once with all of them, and switched at run time (docs/adr/0018).
//
// Start with Load, Overlay, Proof and Prover.
package components
