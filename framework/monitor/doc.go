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

// Package monitor watches a cluster while cases run, and reports what no case checks: a device allocated twice, a
// stale reservation, a component that restarts. The rules about claims and slices are those of framework/audit.
//
// It knows who wrote what it judges: what dratest wrote by hand is a fixture of a case. Disruption that a running
// case declares is excused. Start at Start.
package monitor
