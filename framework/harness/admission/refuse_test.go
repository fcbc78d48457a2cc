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

package admission

import (
	"context"
	"errors"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// A case continues once the API server rejects the operation for the policy's reason.
func TestRefuse(t *testing.T) {
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{})
	answers := []error{nil, errors.New("forbidden by somebody else"), errors.New("denied request: the case refuses CREATE of pods/binding")}
	tried := 0
	var r *Refusal
	f.Succeeds(t, func() {
		r = Refuse(f.T, admissionv1.Create, "", "pods/binding", "false", func(context.Context) error {
			tried++
			return answers[min(tried, len(answers))-1]
		})
	})
	if tried != 3 || r.binding.Spec.PolicyName != r.binding.Name {
		t.Errorf("tried %d times, binding %v", tried, r.binding)
	}
}
