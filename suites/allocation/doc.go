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

// Package allocation holds the cases of the scheduler's search: allocated devices and nodes. One case
// per file, named after the rule.
//
// They need no kubelet: each publishes its ResourceSlices itself, so it tests the scheduler alone and
// takes a second or two. A pod expected to stay pending is created after another pod was allocated a
// device of the same slices: this proves that the scheduler knows them. If a pod created before the
// last of several slices would get another device, the case calls scheduler.AwaitSeen.
package allocation
