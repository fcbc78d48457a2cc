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

// Package schedulerperf compares kube-scheduler with and without this project's plugin on
// upstream's own scheduler_perf workloads: it runs each workload alternately with upstream's plugin
// and ours, in separate processes, and reports the ratio of pods per second.
//
// The benchmark itself is upstream's code, linked into the test binary of the directory harness and
// reading upstream's workload files from the module. Our plugin only adds one line per test case,
// naming a scheduler configuration.
//
// Start at Run; docs/adr/0013 discusses the validity of the numbers.
package schedulerperf
