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

// Package certify tests the driver of a vendor, as it is in a cluster, against what its
// vendor declares of it, and says what that came to: certified, not certified, incomplete.
//
// The cases are those of all suites that any driver must pass (spec.Needs.Devices), run by
// framework/run. Here is what is around them: what the cluster shows of the driver (look, an
// adapter), what that means (sight), the screen before the run, a pod on each node that
// tries the driver, what else is in the cluster before and after (snapshot), the verdict.
// sight, snapshot's comparison and verdict are pure.
//
// Start with Run.
package certify
