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
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
)

// The API server's reasons for rejecting a field.
const (
	invalid      = metav1.CauseTypeFieldValueInvalid
	required     = metav1.CauseTypeFieldValueRequired
	duplicate    = metav1.CauseTypeFieldValueDuplicate
	notSupported = metav1.CauseTypeFieldValueNotSupported
	forbidden    = metav1.CauseTypeForbidden
	tooLong      = metav1.CauseTypeTooLong
	tooMany      = metav1.CauseTypeTooMany

	// lacking is the reason for an incomplete value; releases before 1.36 call it required.
	lacking = invalid + " or " + required
)

// rule is a row of a table: an invalid object and the nearest valid one, so that no unrelated error
// can pass for the rejection.
type rule[O any] struct {
	// name describes the invalid object.
	name string
	// accepted and refused change a valid object; without accepted it stays as it is.
	accepted, refused func(O)
	// field is the path in the rejection, why its reason, "a or b" where releases differ; empty for any reason.
	field string
	why   metav1.CauseType
}

// judge writes both objects of each rule and fails the case with all wrong answers. valid returns a fresh object, and
// write returns the API server's answer to one.
func judge[O any](t *harness.T, valid func() O, write func(O) error, rules ...rule[O]) {
	t.Step("write valid and invalid objects by %d rules", len(rules))
	var problems []string
	for _, r := range rules {
		near, far := r.objects(valid)
		problems = append(problems, r.problems(write(near), write(far))...)
	}
	t.Expect(strings.Join(problems, "\n")).To(gomega.BeEmpty(), "responses violating a rule")
}

// objects returns the object to accept and the one to reject.
func (r rule[O]) objects(valid func() O) (near, far O) {
	near, far = valid(), valid()
	if r.accepted != nil {
		r.accepted(near)
	}
	r.refused(far)
	return near, far
}

// problems returns the wrong answers to the objects of a rule.
func (r rule[O]) problems(near, far error) []string {
	var problems []string
	if near != nil {
		problems = append(problems, fmt.Sprintf("%s: the valid object beside it was refused: %v", r.name, near))
	}
	if problem := notRefused(far, r.field, r.why); problem != "" {
		problems = append(problems, fmt.Sprintf("%s: %s", r.name, problem))
	}
	return problems
}

// notRefused returns the problem with the answer to an invalid request: it must name the field and the reason, if one
// is given. Empty if there is none.
func notRefused(err error, field string, why metav1.CauseType) string {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return "it was accepted"
	case !apierrors.IsInvalid(err) || !errors.As(err, &status):
		return fmt.Sprintf("it was not refused as invalid, but with: %v", err)
	}
	var named []string
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			if isOneOf(cause.Field, field) && (why == "" || isOneOf(string(cause.Type), string(why))) {
				return ""
			}
			named = append(named, fmt.Sprintf("%s (%s)", cause.Field, cause.Type))
		}
	}
	return fmt.Sprintf("it should be refused because of %s (%s), and was because of %s: %v", field, why, strings.Join(named, ", "), err)
}

func isOneOf(text, alternatives string) bool {
	return slices.Contains(strings.Split(alternatives, " or "), text)
}

// judgeKnown does the same for a single rule with a known violation: the API server accepts the invalid object.
func judgeKnown[O any](t *harness.T, valid func() O, write func(O) error, r rule[O]) {
	t.Step("write valid and invalid objects: %s", r.name)
	near, far := r.objects(valid)
	t.NoError(write(near), "write valid objects")
	err := write(far)
	if err == nil {
		t.KnownIssue("expected %s to be refused, and it was accepted", r.name)
		return
	}
	t.Expect(strings.Join(r.problems(nil, err), "\n")).To(gomega.BeEmpty(), "a response violating a rule")
}
