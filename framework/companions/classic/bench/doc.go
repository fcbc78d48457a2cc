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

// Package bench measures classic DRA (docs/classic.md), where drivers allocate claims themselves,
// for dratest perf: on a control plane with simulated nodes, how much later a single pod is bound
// than one without claims, and after how many more attempts of the scheduler; how many pods a
// second are bound when many are created; and the requests of scheduler and driver while nothing
// changes.
//
// Start at Scenario.
package bench
