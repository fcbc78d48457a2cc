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

// The reasons for which the API server refuses a field.
const (
	invalid      = metav1.CauseTypeFieldValueInvalid
	required     = metav1.CauseTypeFieldValueRequired
	duplicate    = metav1.CauseTypeFieldValueDuplicate
	notSupported = metav1.CauseTypeFieldValueNotSupported
	forbidden    = metav1.CauseTypeForbidden
	tooLong      = metav1.CauseTypeTooLong
	tooMany      = metav1.CauseTypeTooMany

	// lacking is that of something with a part that is missing, which to releases before 1.36 is
	// required.
	lacking = invalid + " or " + required
)

// rule is a row of a table: something that the API server has to refuse, beside the
// nearest thing that it has to accept, so that no unrelated error can pass for the
// refusal.
type rule[O any] struct {
	// name says in words what is refused.
	name string
	// accepted and refused change a valid object; without accepted it is left as it is.
	accepted, refused func(O)
	// field is the path that the refusal must name, why the reason that it must give there, "a or
	// b" where releases differ; no reason if any will do.
	field string
	why   metav1.CauseType
}

// judge writes both objects of each rule and fails the case if an answer is not the one
// that the rule wants, with all such answers. Valid returns a fresh object, and write
// returns what the API server said to one.
func judge[O any](t *harness.T, valid func() O, write func(O) error, rules ...rule[O]) {
	t.Step("write what is valid and what is not by %d rules", len(rules))
	var problems []string
	for _, r := range rules {
		near, far := r.objects(valid)
		problems = append(problems, r.problems(write(near), write(far))...)
	}
	t.Expect(strings.Join(problems, "\n")).To(gomega.BeEmpty(), "answers that break a rule")
}

// objects are what the rule has to be accepted and refused.
func (r rule[O]) objects(valid func() O) (near, far O) {
	near, far = valid(), valid()
	if r.accepted != nil {
		r.accepted(near)
	}
	r.refused(far)
	return near, far
}

// problems are what is wrong with the answers to the objects of a rule.
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

// notRefused is what is wrong with the answer to a request that must be refused as
// invalid because of a field, for a reason; empty if nothing. No reason stands for any.
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

// judgeKnown does the same for a single rule that the API server is known to break, by
// accepting what it has to refuse.
func judgeKnown[O any](t *harness.T, valid func() O, write func(O) error, r rule[O]) {
	t.Step("write what is valid and what is not: %s", r.name)
	near, far := r.objects(valid)
	t.NoError(write(near), "write what is valid")
	err := write(far)
	if err == nil {
		t.KnownIssue("%s: it was accepted", r.name)
		return
	}
	t.Expect(strings.Join(r.problems(nil, err), "\n")).To(gomega.BeEmpty(), "an answer that breaks a rule")
}
