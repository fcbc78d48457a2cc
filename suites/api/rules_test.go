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

package api

import (
	"errors"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func refusal(errs ...*field.Error) error {
	return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), "claim", errs)
}

// Each row is an answer of a faulty server: it must reject spec.name as invalid, and accept the valid
// object.
func TestRuleNoticesWrongAnswers(t *testing.T) {
	right := refusal(field.Invalid(field.NewPath("spec", "name"), "", ""))
	for name, tc := range map[string]struct {
		near, far error
		want      string // empty for right answers
	}{
		"right":                     {nil, right, ""},
		"right among others":        {nil, refusal(field.Required(field.NewPath("spec"), ""), field.Invalid(field.NewPath("spec", "name"), "", "")), ""},
		"all accepted":              {nil, nil, "a capital: it was accepted"},
		"all refused":               {right, right, "a capital: the valid object beside it was refused: "},
		"another field":             {nil, refusal(field.Invalid(field.NewPath("spec"), "", "")), "was because of spec (FieldValueInvalid)"},
		"another reason":            {nil, refusal(field.Required(field.NewPath("spec", "name"), "")), "was because of spec.name (FieldValueRequired)"},
		"refused as something else": {nil, apierrors.NewBadRequest("no"), "it was not refused as invalid, but with: no"},
		"no answer":                 {nil, errors.New("EOF"), "it was not refused as invalid, but with: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			r := rule[any]{name: "a capital", field: "spec.name", why: invalid}
			got := strings.Join(r.problems(tc.near, tc.far), "\n")
			if !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestNotRefusedForOneOfTwoFields(t *testing.T) {
	for named, want := range map[string]bool{"a": true, "b": true, "c": false} {
		if got := notRefused(refusal(field.Invalid(field.NewPath(named), "", "")), "a or b", invalid); (got == "") != want {
			t.Errorf("%s: got %q", named, got)
		}
	}
}

func TestNotRefusedForOneOfTwoReasons(t *testing.T) {
	name := field.NewPath("name")
	for _, tc := range []struct {
		got   *field.Error
		right bool
	}{{field.Required(name, ""), true}, {field.Invalid(name, "", ""), true}, {field.Forbidden(name, ""), false}} {
		if got := notRefused(refusal(tc.got), "name", lacking); (got == "") != tc.right {
			t.Errorf("%s: got %q", tc.got.Type, got)
		}
	}
}

func TestNotRefusedForAnyReason(t *testing.T) {
	if got := notRefused(refusal(field.Forbidden(field.NewPath("spec"), "")), "spec", ""); got != "" {
		t.Errorf("got %q", got)
	}
}
