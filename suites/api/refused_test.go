package api

import (
	"errors"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestNotRefused(t *testing.T) {
	invalid := func(name string) error {
		return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), "claim",
			field.ErrorList{field.Invalid(field.NewPath(name), nil, "field is immutable")})
	}
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"refused for the field": {invalid("spec"), ""},
		"accepted":              {nil, "it was accepted"},
		"another field":         {invalid("metadata"), `it was refused because of "metadata": ` + invalid("metadata").Error()},
		"another reason":        {apierrors.NewBadRequest("no"), "it was not refused as invalid, but with: no"},
		"no answer":             {errors.New("EOF"), "it was not refused as invalid, but with: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := notRefused(tc.err, "spec"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
