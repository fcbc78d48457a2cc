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

// Package testbed brings up what a run, a soak, an upgrade or a benchmark stands on,
// and removes it: a cluster that a provider makes or that a kubeconfig names, a lock or
// a lease that keeps others from it, and the test driver's agents on its nodes.
//
// What runs on it is up to its users. Start with Open.
package testbed
