package api

import (
	"strings"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
)

// createRaw asks the API server to judge a new object of resource.k8s.io/v1, in JSON,
// without storing it, and to refuse fields that it does not know or finds twice.
func createRaw(t *harness.T, resource, object string) error {
	request := t.Client.ResourceV1().RESTClient().Post().Resource(resource).
		Param("dryRun", metav1.DryRunAll).Param("fieldValidation", metav1.FieldValidationStrict).Body([]byte(object))
	if strings.HasPrefix(resource, "resourceclaim") {
		request = request.Namespace(t.Namespace)
	}
	return request.Do(t.Context()).Error()
}

// notKnown fails the case unless an answer refuses a field as one that is not known.
func notKnown(t *harness.T, err error, field string) {
	t.Expect(notStrict(err, `unknown field "`+field+`"`)).To(gomega.BeEmpty(), "the object with %s", field)
}

// notStrict is what is wrong with the answer to an object that strict decoding has to
// refuse, with this in its text; empty if nothing.
func notStrict(err error, text string) string {
	switch {
	case err == nil:
		return "it was accepted"
	case !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), text):
		return "it should be refused because of " + text + ", and was with: " + err.Error()
	}
	return ""
}
