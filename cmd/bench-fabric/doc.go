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

// Command bench-fabric measures dra-composable-controller before a fabric of many devices
// (KEP-5007), on a control plane of processes with simulated nodes: how often it writes
// ResourceSlices when nothing changes and when a few pools do, how long after a device is
// attached its pod is bound, and how much memory it has.
//
// Writes and memory are judged; times are told, as they are the machine's, too. Start at
// main, then measure.go.
package main
