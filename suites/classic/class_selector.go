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

package classic

import (
	"context"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassSelector tries to create classes with devices available to other schedulers.
var ClassSelector = harness.Case{Meta: spec.Meta{
	ID:       "classic/class-selector",
	Checks:   "A DeviceClass that names a ResourceClass is rejected unless one of its selectors matches no device.",
	Requires: []spec.RequirementID{"kep-3063/class-object"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	for what, selectors := range map[string][]resourceapi.DeviceSelector{
		"no selector": nil, "another selector": {objects.Selector("true")},
	} {
		class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: t.Namespace}, Spec: resourceapi.DeviceClassSpec{
			Selectors: selectors, Config: []resourceapi.DeviceClassConfiguration{classicdra.ClassConfig("any")},
		}}
		t.Poll("a class with "+what+" to be refused", func(ctx context.Context) (bool, string, error) { // a new policy takes effect with a delay
			_, err := t.Client.ResourceV1().DeviceClasses().Create(ctx, class, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err != nil && strings.Contains(err.Error(), "needs a selector"), describe.Response(err), nil
		})
	}
}}
