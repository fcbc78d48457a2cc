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

// Package explore runs random allocation problems against the scheduler of a cluster and judges the
// outcomes. Problems run in parallel, each with its own nodes, drivers and classes.
//
// Run is the engine of "dratest explore": generate.Stored makes a problem, scope gives its objects
// unique names, a trial creates them and waits for the scheduler's final state, and oracle.Judge
// judges it. A reproducible wrong outcome is a finding, minimized by shrink.
package explore
