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

package testbed

import (
	"context"
	"errors"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/release"
	"github.com/dra-conformance/dratest/framework/spec"
)

// sweepObstacles removes objects affecting any pods and devices, and those keeping namespaces from going.
func sweepObstacles(ctx context.Context, client kubernetes.Interface, ours metav1.ListOptions) error {
	dra, admission := client.ResourceV1(), client.AdmissionregistrationV1()
	return errors.Join(
		sweepNodes(ctx, client, ours),
		sweepKind(ctx, "devicetaintrules", dra.DeviceTaintRules(), ours, every),
		sweepKind(ctx, "devicetaintrules", dra.DeviceTaintRules(), ofFabrics(), ofCaseFabric),
		sweepKind(ctx, "validatingadmissionpolicybindings", admission.ValidatingAdmissionPolicyBindings(), ours, every),
		sweepKind(ctx, "validatingadmissionpolicies", admission.ValidatingAdmissionPolicies(), ours, every),
		sweepKind(ctx, "flowschemas", client.FlowcontrolV1().FlowSchemas(), ours, every),
		sweepKind(ctx, "prioritylevelconfigurations", client.FlowcontrolV1().PriorityLevelConfigurations(), ours, every),
	)
}

// sweepRest removes objects possibly needed until pods and claims have ended.
func sweepRest(ctx context.Context, client kubernetes.Interface, ours metav1.ListOptions) error {
	dra, rbac := client.ResourceV1(), client.RbacV1()
	return errors.Join(
		sweepKind(ctx, "resourceslices", dra.ResourceSlices(), ours, every),
		sweepKind(ctx, "resourceslices", dra.ResourceSlices(), ofFabrics(), ofCaseFabric),
		sweepKind(ctx, "deviceclasses", dra.DeviceClasses(), ours, every),
		sweepKind(ctx, "clusterrolebindings", rbac.ClusterRoleBindings(), ours, ofCase),
		sweepKind(ctx, "clusterroles", rbac.ClusterRoles(), ours, ofCase),
		sweepAllowed(ctx, "resourcepoolstatusrequests", client.ResourceV1alpha3().ResourcePoolStatusRequests(), ours, every),
		sweepKind(ctx, "priorityclasses", client.SchedulingV1().PriorityClasses(), ours, ofCase),
	)
}

// sweepNodes removes nodes created by cases, and their pods at once: no kubelet ends these, and podgc waits longer
// than sweepTime.
func sweepNodes(ctx context.Context, client kubernetes.Interface, ours metav1.ListOptions) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, ours)
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	errs := []error{sweepKind(ctx, "nodes", client.CoreV1().Nodes(), ours, ofCase)}
	for i := range nodes.Items {
		if ofCase(&nodes.Items[i]) {
			errs = append(errs, release.Node(ctx, client, nodes.Items[i].Name))
		}
	}
	return errors.Join(errs...)
}

func every(runtime.Object) bool { return true }

// ofCase reports whether an object's name is a case's; the test driver's names are not.
func ofCase(o runtime.Object) bool {
	object, err := meta.Accessor(o)
	return err == nil && strings.HasPrefix(object.GetName(), harness.NamespacePrefix)
}

// ofFabrics selects the objects of fabric controllers, which have a label of their own, including foreign ones.
func ofFabrics() metav1.ListOptions { return metav1.ListOptions{LabelSelector: spec.LabelFabric} }

// ofCaseFabric reports whether the fabric controller of a case created a slice or rule, recognizable by the case's
// driver.
func ofCaseFabric(o runtime.Object) bool {
	switch o := o.(type) {
	case *resourceapi.ResourceSlice:
		return harness.IsDriverOfCase(o.Spec.Driver)
	case *resourceapi.DeviceTaintRule:
		s := o.Spec.DeviceSelector
		return s != nil && s.Driver != nil && harness.IsDriverOfCase(*s.Driver)
	}
	return false
}

// kindClient is the client of one kind of objects, with list type L.
type kindClient[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// sweepAllowed is sweepKind for a kind the account may lack rights for.
func sweepAllowed[L runtime.Object](ctx context.Context, kind string, client kindClient[L], ours metav1.ListOptions, mine func(runtime.Object) bool) error {
	if err := sweepKind(ctx, kind, client, ours, mine); !apierrors.IsForbidden(err) {
		return err
	}
	return nil
}

// sweepKind removes the labelled objects of a kind (its plural name) selected by mine; a kind that is not served has
// none.
func sweepKind[L runtime.Object](ctx context.Context, kind string, client kindClient[L], ours metav1.ListOptions, mine func(runtime.Object) bool) error {
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
		if !mine(o) {
			return nil
		}
		if err := client.Delete(ctx, object.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete %s %s: %w", kind, object.GetName(), err))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
