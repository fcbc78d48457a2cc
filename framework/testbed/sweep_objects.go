package testbed

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/harness"
)

// sweepObstacles removes what changes the fate of pods and devices, whoever these belong
// to, and would keep namespaces from going.
func sweepObstacles(ctx context.Context, client kubernetes.Interface, ours metav1.ListOptions) error {
	dra, admission := client.ResourceV1(), client.AdmissionregistrationV1()
	return errors.Join(
		sweepKind(ctx, "devicetaintrules", dra.DeviceTaintRules(), ours, every),
		sweepKind(ctx, "validatingadmissionpolicybindings", admission.ValidatingAdmissionPolicyBindings(), ours, every),
		sweepKind(ctx, "validatingadmissionpolicies", admission.ValidatingAdmissionPolicies(), ours, every),
	)
}

// sweepRest removes what pods and claims that end may still need.
func sweepRest(ctx context.Context, client kubernetes.Interface, ours metav1.ListOptions) error {
	dra, rbac := client.ResourceV1(), client.RbacV1()
	// Those of the test driver are not a case's.
	ofCase := func(name string) bool { return strings.HasPrefix(name, harness.NamespacePrefix) }
	return errors.Join(
		sweepKind(ctx, "resourceslices", dra.ResourceSlices(), ours, every),
		sweepKind(ctx, "deviceclasses", dra.DeviceClasses(), ours, every),
		sweepKind(ctx, "clusterrolebindings", rbac.ClusterRoleBindings(), ours, ofCase),
		sweepKind(ctx, "clusterroles", rbac.ClusterRoles(), ours, ofCase),
	)
}

func every(string) bool { return true }

// kindClient is the client of one kind of objects, whose list is L.
type kindClient[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// sweepKind removes the labelled objects of a kind (its plural name) whose names are mine; a kind that is not served
// has none.
func sweepKind[L runtime.Object](ctx context.Context, kind string, client kindClient[L], ours metav1.ListOptions, mine func(name string) bool) error {
	list, err := client.List(ctx, ours)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", kind, err)
	}
	var errs []error
	err = meta.EachListItem(list, func(o runtime.Object) error {
		object, err := meta.Accessor(o)
		if err != nil {
			return err
		}
		if !mine(object.GetName()) {
			return nil
		}
		if err := client.Delete(ctx, object.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete %s %s: %w", kind, object.GetName(), err))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
