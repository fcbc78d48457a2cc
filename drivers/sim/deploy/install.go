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

package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Install installs or updates the agent on every Linux node. It returns before the agents are ready.
func Install(ctx context.Context, client kubernetes.Interface, config Config) error {
	config = config.withDefaults()
	if err := refuseForeign(ctx, client); err != nil {
		return err
	}
	set := daemonSet(config)
	if config.Adapt != nil {
		var err error
		if set.Spec.Template.Spec, err = config.Adapt(set.Spec.Template.Spec); err != nil {
			return fmt.Errorf("install dra-sim: %w", err)
		}
	}
	options := metav1.PatchOptions{FieldManager: spec.ManagedBy, Force: ptr.To(true)}
	steps := []struct {
		kind   string
		object any
		apply  func(patch []byte) error
	}{
		{"namespace", namespace(config), func(patch []byte) error {
			_, err := client.CoreV1().Namespaces().Patch(ctx, Namespace, types.ApplyPatchType, patch, options)
			return err
		}},
		{"service account", serviceAccount(), func(patch []byte) error {
			_, err := client.CoreV1().ServiceAccounts(Namespace).Patch(ctx, Name, types.ApplyPatchType, patch, options)
			return err
		}},
		{"cluster role", clusterRole(), func(patch []byte) error {
			_, err := client.RbacV1().ClusterRoles().Patch(ctx, clusterName, types.ApplyPatchType, patch, options)
			return err
		}},
		{"cluster role binding", clusterRoleBinding(), func(patch []byte) error {
			_, err := client.RbacV1().ClusterRoleBindings().Patch(ctx, clusterName, types.ApplyPatchType, patch, options)
			return err
		}},
		{"daemon set", set, func(patch []byte) error {
			_, err := client.AppsV1().DaemonSets(Namespace).Patch(ctx, Name, types.ApplyPatchType, patch, options)
			return err
		}},
	}
	for _, step := range steps {
		patch, err := json.Marshal(step.object)
		if err != nil {
			return fmt.Errorf("install dra-sim: encode %s: %w", step.kind, err)
		}
		if err := step.apply(patch); err != nil {
			return fmt.Errorf("install dra-sim: apply %s: %w", step.kind, err)
		}
	}
	return nil
}

// refuseForeign fails on foreign objects with our names: adopting them would make Uninstall remove them.
func refuseForeign(ctx context.Context, client kubernetes.Interface) error {
	type found struct {
		kind   string
		object metav1.Object
		err    error
	}
	ns, nsErr := client.CoreV1().Namespaces().Get(ctx, Namespace, metav1.GetOptions{})
	role, roleErr := client.RbacV1().ClusterRoles().Get(ctx, clusterName, metav1.GetOptions{})
	binding, bindingErr := client.RbacV1().ClusterRoleBindings().Get(ctx, clusterName, metav1.GetOptions{})
	for _, f := range []found{{"namespace", ns, nsErr}, {"cluster role", role, roleErr}, {"cluster role binding", binding, bindingErr}} {
		switch {
		case apierrors.IsNotFound(f.err):
		case f.err != nil:
			return fmt.Errorf("install dra-sim: look for %s: %w", f.kind, f.err)
		case f.object.GetLabels()[spec.LabelManagedBy] != spec.ManagedBy:
			return fmt.Errorf("install dra-sim: %s %s is there and is not dratest's (it lacks the label %s=%s): remove or rename it",
				f.kind, f.object.GetName(), spec.LabelManagedBy, spec.ManagedBy)
		}
	}
	return nil
}

// Uninstall removes everything made by Install and returns once it is gone; missing objects and those without
// dratest's label are skipped. The pods go first: until the end they need the permission to delete their drivers'
// ResourceSlices. Errors: ErrAbandoned.
func Uninstall(ctx context.Context, client kubernetes.Interface) error {
	foreground := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}
	var deleted time.Time // the namespace, by our clock
	steps := []struct {
		kind   string
		get    func() (metav1.Object, error)
		delete func(metav1.DeleteOptions) error
	}{
		{
			"daemon set",
			func() (metav1.Object, error) {
				return client.AppsV1().DaemonSets(Namespace).Get(ctx, Name, metav1.GetOptions{})
			},
			func(o metav1.DeleteOptions) error { return client.AppsV1().DaemonSets(Namespace).Delete(ctx, Name, o) },
		},
		{
			"cluster role binding",
			func() (metav1.Object, error) {
				return client.RbacV1().ClusterRoleBindings().Get(ctx, clusterName, metav1.GetOptions{})
			},
			func(o metav1.DeleteOptions) error {
				return client.RbacV1().ClusterRoleBindings().Delete(ctx, clusterName, o)
			},
		},
		{
			"cluster role",
			func() (metav1.Object, error) {
				return client.RbacV1().ClusterRoles().Get(ctx, clusterName, metav1.GetOptions{})
			},
			func(o metav1.DeleteOptions) error { return client.RbacV1().ClusterRoles().Delete(ctx, clusterName, o) },
		},
		{
			"namespace",
			func() (metav1.Object, error) {
				n, err := client.CoreV1().Namespaces().Get(ctx, Namespace, metav1.GetOptions{})
				if err == nil && !deleted.IsZero() && time.Since(deleted) > patience && len(n.Status.Conditions) == 0 {
					err = ErrAbandoned
				}
				return n, err
			},
			func(o metav1.DeleteOptions) error {
				deleted = time.Now()
				return client.CoreV1().Namespaces().Delete(ctx, Namespace, o)
			},
		},
	}
	for _, step := range steps {
		if err := remove(ctx, step.get, func() error { return step.delete(foreground) }); err != nil {
			return fmt.Errorf("uninstall dra-sim: remove %s: %w", step.kind, err)
		}
	}
	return nil
}

// ErrAbandoned: a namespace is being deleted without a controller working on it, as on an API server alone.
var ErrAbandoned = errors.New("nothing finishes the deletion of namespace " + Namespace + ", as kube-controller-manager does")

// patience bounds the wait for a progress report of the namespace controller: it begins after 5 s, and writes the
// namespace's conditions after going through its content (k8s.io/kubernetes v1.37.1, pkg/controller/namespace).
const patience = time.Minute

func remove(ctx context.Context, get func() (metav1.Object, error), del func() error) error {
	object, err := get()
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case object.GetLabels()[spec.LabelManagedBy] != spec.ManagedBy:
		return nil
	}
	if err := del(); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return wait.PollUntilContextCancel(ctx, interval, true, func(context.Context) (bool, error) {
		_, err := get()
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}
