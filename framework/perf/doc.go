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

// Package perf measures the cost of pods with claims and judges it by thresholds independent of the
// machine: ratios of two stacks measured alternately in one run.
//
// Workloads and thresholds are data (workloads.yaml, thresholds.yaml). Judge is pure: it turns the
// rounds of a run into findings. Rounds run on control planes with nodes simulated by kwok, so the
// cost of kubelets and drivers is not included.
//
// Start with Run.
package perf
