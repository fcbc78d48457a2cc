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

// Package certify tests a vendor's driver, as installed in a cluster, against its declaration, and reaches a verdict:
// certified, not certified, incomplete.
//
// The cases are the driver-independent ones of all suites (spec.Needs.Devices), run by framework/run. This package
// has the rest: reading the driver's state (look, an adapter), its interpretation (sight), the preflight (screen), a
// trial pod on each node, the state of the cluster before and after (snapshot), the verdict. sight, snapshot's
// comparison and verdict are pure.
//
// Start with Run.
package certify
