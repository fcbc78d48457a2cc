package api

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// notRefused is what is wrong with the answer to a request that must be refused as
// invalid because of a field; empty if nothing.
func notRefused(err error, field string) string {
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
			if cause.Field == field {
				return ""
			}
			named = append(named, cause.Field)
		}
	}
	return fmt.Sprintf("it was refused because of %q: %v", strings.Join(named, ", "), err)
}
