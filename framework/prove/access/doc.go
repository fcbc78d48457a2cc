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

// Package access proves that the role printed by "dratest manifests" is minimal: a run of all cases passes with it
// and uses each of its rights, and a run without one of them names it. A certification names a right that its role lacks,
// too.
//
// Start with Proof (the list of trials) and Prover (which runs them). Recorder determines the rights used by a run.
package access
