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

// Package harness is one run of upstream's scheduler_perf: one workload of one of upstream's
// workload files, with one scheduler, in a separate process.
//
// It only has test code, because scheduler_perf takes a *testing.B and registers its own flags: the
// test binary is the program, and the surrounding package schedulerperf builds its command line and
// reads its results.
package harness
