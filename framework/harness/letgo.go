package harness

import (
	"context"
	"errors"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// strangers is the domain of those in whose name cases reserve claims and keep them and pods
// from going, who do not exist.
const strangers = "example.com"

// letClaimsGo takes from the claims of the case what nobody else would take, as a case that
// ends early leaves it: reservations for strangers and their finalizers.
func (t *T) letClaimsGo(ctx context.Context) error {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	return insist(ctx, "let the claims go", func(ctx context.Context) error {
		list, err := claims.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		var errs []error
		for i := range list.Items {
			errs = append(errs, ignoreNotFound(t.letClaimGo(ctx, &list.Items[i])))
		}
		return errors.Join(errs...)
	})
}

func (t *T) letClaimGo(ctx context.Context, claim *resourceapi.ResourceClaim) (err error) {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	ofStranger := func(c resourceapi.ResourceClaimConsumerReference) bool { return c.APIGroup == strangers }
	if slices.ContainsFunc(claim.Status.ReservedFor, ofStranger) {
		claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, ofStranger)
		if claim, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(claim.Finalizers, fromStranger) {
		return nil
	}
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, fromStranger)
	_, err = claims.Update(ctx, claim, metav1.UpdateOptions{})
	return err
}

// letPodsGo takes the finalizers of strangers from the pods of the case.
func (t *T) letPodsGo(ctx context.Context) error {
	pods := t.Client.CoreV1().Pods(t.Namespace)
	return insist(ctx, "let the pods go", func(ctx context.Context) error {
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		var errs []error
		for i := range list.Items {
			if pod := &list.Items[i]; slices.ContainsFunc(pod.Finalizers, fromStranger) {
				pod.Finalizers = slices.DeleteFunc(pod.Finalizers, fromStranger)
				_, err := pods.Update(ctx, pod, metav1.UpdateOptions{})
				errs = append(errs, ignoreNotFound(err))
			}
		}
		return errors.Join(errs...)
	})
}

func fromStranger(finalizer string) bool { return strings.HasPrefix(finalizer, strangers+"/") }
