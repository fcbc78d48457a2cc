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

package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// versionsServed is about: KEP-4381, version skew.
var versionsServed = Check{Meta: spec.Meta{
	ID:       "sanity/versions-served",
	Checks:   "The driver serves v1 and v1beta1 of the plugin API, for kubelets of all supported releases.",
	Requires: []spec.RequirementID{"kep-4381/driver-offers-both", "kep-4381/driver-offers-old-plugin-apis"},
}, Source: "KEP-4381, version skew", Once: true, Run: func(t *T) {
	if len(t.versions) < 2 {
		t.Failf("the driver serves only %s", t.versions[0])
	}
}}
