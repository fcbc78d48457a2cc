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

package classic

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// served bounds the wait for new CRDs to be served.
const served = 30 * time.Second

// Install installs the CRDs of classic DRA, as printed by the driver's program, and waits until they are served.
// Existing ones of others stay unchanged. The returned function removes the installed ones, and is never nil.
func (p Programs) Install(ctx context.Context, config *rest.Config) (remove func(context.Context) error, err error) {
	i := installation{}
	if i.client, err = dynamic.NewForConfig(config); err != nil {
		return func(context.Context) error { return nil }, fmt.Errorf("make a client: %w", err)
	}
	definitions, err := p.definitions(ctx)
	if err != nil {
		return i.remove, err
	}
	for _, d := range definitions {
		if err := i.install(ctx, d); err != nil {
			return i.remove, fmt.Errorf("install %s %s: %w", d.GetKind(), d.GetName(), err)
		}
	}
	return i.remove, i.await(ctx)
}

func (p Programs) definitions(ctx context.Context) ([]*unstructured.Unstructured, error) {
	text, err := exec.CommandContext(ctx, p.Driver, "definitions").Output() //nolint:gosec // the program is the project's own
	if err != nil {
		return nil, fmt.Errorf("read the definitions of classic DRA: %w", err)
	}
	var all []*unstructured.Unstructured
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the definitions of classic DRA: %w", err)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict(document, &object.Object); err != nil {
			return nil, fmt.Errorf("decode the definitions of classic DRA: %w", err)
		}
		if len(object.Object) > 0 {
			all = append(all, object)
		}
	}
}

// installation has the objects to remove.
type installation struct {
	client dynamic.Interface
	made   []*unstructured.Unstructured
}

func (i *installation) of(o *unstructured.Unstructured) dynamic.ResourceInterface {
	plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	return i.client.Resource(plural)
}

func (i *installation) install(ctx context.Context, o *unstructured.Unstructured) error {
	o.SetLabels(map[string]string{spec.LabelManagedBy: spec.ManagedBy})
	_, err := i.of(o).Create(ctx, o, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		i.made = append(i.made, o) // also if it is not known whether it was created
		return err
	}
	found, err := i.of(o).Get(ctx, o.GetName(), metav1.GetOptions{})
	if err != nil || found.GetLabels()[spec.LabelManagedBy] != spec.ManagedBy {
		return err
	}
	i.made = append(i.made, o)
	o.SetResourceVersion(found.GetResourceVersion())
	_, err = i.of(o).Update(ctx, o, metav1.UpdateOptions{})
	return err
}

func (i *installation) await(ctx context.Context) error {
	seen := ""
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, served, true, func(ctx context.Context) (bool, error) {
		for _, kind := range []string{"resourceclasses", "podschedulings", "classicclaims"} {
			if _, err := i.kind(kind).List(ctx, metav1.ListOptions{Limit: 1}); err != nil {
				seen = err.Error()
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("wait until the kinds of classic DRA are served: %w (%s)", err, seen)
	}
	return nil
}

func (i *installation) kind(plural string) dynamic.NamespaceableResourceInterface {
	return i.client.Resource(schema.GroupVersionResource{Group: classicdra.Group, Version: classicdra.Version, Resource: plural})
}

// remove removes everything installed, and before that leftovers of killed cases: parameter CRDs, and objects with
// finalizers of drivers no longer running.
func (i *installation) remove(ctx context.Context) error {
	errs := []error{i.removeParameters(ctx)}
	if len(i.made) > 0 {
		errs = append(errs, i.letClaimsGo(ctx))
	}
	for _, o := range slices.Backward(i.made) {
		if err := i.delete(ctx, o); err != nil {
			errs = append(errs, fmt.Errorf("delete %s %s: %w", o.GetKind(), o.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

// removeParameters removes the kinds of parameters of cases.
func (i *installation) removeParameters(ctx context.Context) error {
	definitions := i.client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	list, err := definitions.List(ctx, metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy})
	if err != nil {
		return fmt.Errorf("list kinds of parameters: %w", err)
	}
	var errs []error
	for _, d := range list.Items {
		if !strings.HasSuffix(d.GetName(), "."+classicdra.ParametersGroup) {
			continue
		}
		if err := definitions.Delete(ctx, d.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete kind of parameters %s: %w", d.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

// delete deletes dratest's objects and waits until they are gone: the next run could mistake a terminating one for
// installed.
func (i *installation) delete(ctx context.Context, o *unstructured.Unstructured) error {
	found, err := i.of(o).Get(ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && found.GetLabels()[spec.LabelManagedBy] != spec.ManagedBy {
		return nil
	}
	if err == nil {
		uid := found.GetUID()
		err = i.of(o).Delete(ctx, o.GetName(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, served, true, func(ctx context.Context) (bool, error) {
		_, err := i.of(o).Get(ctx, o.GetName(), metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

// LetGo removes the finalizers of cases' drivers from claims: a failed case keeps its claims and stops its driver, so
// nobody else would.
func LetGo(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	return (&installation{client: client}).letClaimsGo(ctx)
}

func (i *installation) letClaimsGo(ctx context.Context) error {
	return errors.Join(
		i.letGo(ctx, i.kind("classicclaims")),
		i.letGo(ctx, i.client.Resource(schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"})))
}

// letGo removes the finalizers of cases' drivers from objects of cases.
func (i *installation) letGo(ctx context.Context, kind dynamic.NamespaceableResourceInterface) error {
	list, err := kind.List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range list.Items {
		rest := slices.DeleteFunc(slices.Clone(o.GetFinalizers()), ofCase)
		if len(rest) == len(o.GetFinalizers()) {
			continue
		}
		o.SetFinalizers(rest)
		if _, err := kind.Namespace(o.GetNamespace()).Update(ctx, &o, metav1.UpdateOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("let %s %s go: %w", o.GetKind(), o.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

// ofCase reports whether a finalizer belongs to a case's driver.
func ofCase(finalizer string) bool {
	driver, protects := strings.CutSuffix(finalizer, "/deletion-protection")
	return protects && harness.IsDriverOfCase(driver)
}
