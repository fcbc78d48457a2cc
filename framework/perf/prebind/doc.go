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

// Package prebind measures if events accumulate in the scheduling queue while pods wait in PreBind for
// binding conditions of their devices. The queue keeps events for pods being scheduled ("in flight"),
// a risk named by KEP-5007.
//
// As a control, a pod is held in Filter: this must raise the metric. Start at Scenario.
package prebind
