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

// Command bench-prebind shows that events do not pile up in a scheduler while pods wait in
// PreBind for the binding conditions of their devices, a risk that KEP-5007 names: the
// scheduling queue keeps events for pods that are being scheduled ("in flight").
//
// On a control plane with simulated nodes, once for Kubernetes' scheduler and once for this
// project's, many pods wait while nodes change many times more often. A control, in which a
// pod is held in Filter meanwhile, shows that the metric would rise if events were kept.
// Start at main, then measure.go.
package main
