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

// Package checks builds the mutants of drivers/sim/mutants into dra-sim, one after the other, and checks that the
// corresponding sanity check fails with the bug and passes without. The drivers are local processes with directories
// of their own; only an API server is needed, no kubelet.
//
// Start with Proof and Prover.
package checks
