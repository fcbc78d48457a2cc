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

// Package whatif predicts where a driver could serve waiting pods, on existing and on hypothetical
// nodes, for autoscalers. It asks the driver itself for a simulation (controller.Simulator),
// without allocating anything.
//
// It evaluates claims, node selectors, node affinity and taints. Other constraints, such as CPU and
// memory, are left to the autoscaler, and so are claims allocated by other drivers or the
// scheduler. Start at Place.
package whatif
