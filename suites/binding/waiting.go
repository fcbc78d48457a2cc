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

package binding

import (
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// betweenLooks is kube-scheduler's polling interval for the conditions of a waiting pod
	// (k8s.io/kubernetes v1.37.1
	// pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, PreBind).
	betweenLooks  = 5 * time.Second
	waitsForLooks = "The scheduler checks the conditions of a waiting pod every 5 s."

	// shortTimeout is the longest binding timeout a case waits for.
	shortTimeout = 30 * time.Second
	// beforeTimeout is shorter than the bindingTimeout in clusters created by dratest.
	beforeTimeout   = 15 * time.Second
	waitsForTimeout = "The scheduler waits for binding conditions until its bindingTimeout: 20 s in clusters created by dratest, 10 minutes by default."
)

// features are needed by all cases.
func features() []spec.Feature { return []spec.Feature{spec.BindingConditions, spec.DeviceStatus} }
