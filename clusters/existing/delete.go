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

package existing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
)

// goneTimeout bounds the wait for deleted objects to be gone.
const goneTimeout = 2 * time.Minute

// Delete removes the namespaces and cluster-scoped objects with dratest's label and waits until they are gone. The
// name is ignored: there is one cluster. The copy of the kubeconfig is removed first, even if the cluster is gone. A copy
// that is the given kubeconfig is removed last, so that a failed Delete can be repeated.
func (p *Provider) Delete(ctx context.Context, _ string) error {
	raw, name, err := p.load()
	if err != nil {
		return err
	}
	path, err := p.copyPath(name)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the kubeconfig of cluster %q: %w", name, err)
	}
	config, err := p.config(raw, name)
	if err != nil {
		return err
	}
	config.Timeout = reachTimeout
	web, err := kube.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("make a client for context %q: %w", name, err)
	}
	disco, err := discovery.NewDiscoveryClientForConfigAndClient(config, web)
	if err != nil {
		return fmt.Errorf("make a client for context %q: %w", name, err)
	}
	objects, err := metadata.NewForConfigAndClient(config, web)
	if err != nil {
		return fmt.Errorf("make a client for context %q: %w", name, err)
	}
	if _, err := disco.ServerVersionWithContext(ctx); err != nil {
		return fmt.Errorf("%w: the API server at %s cannot be used: %w", clusters.ErrEnvironment, config.Host, err)
	}
	kinds, err := clusterScoped(ctx, disco)
	if err != nil {
		return fmt.Errorf("find dratest's objects in cluster %q: %w", name, err)
	}
	err = p.printer().Step(fmt.Sprintf("remove dratest's objects from cluster %s", name), 0, func() error {
		return removeObjects(ctx, objects, kinds, p.printer().Printf)
	})
	if err != nil {
		return fmt.Errorf("remove dratest's objects from cluster %q: %w", name, err)
	}
	if p.isCopy() {
		if err := os.Remove(p.Kubeconfig); err != nil {
			return fmt.Errorf("remove the kubeconfig of cluster %q: %w", name, err)
		}
	}
	return nil
}

// clusterScoped returns the cluster-scoped kinds with list and delete verbs, namespaces first: their objects may need
// the others.
func clusterScoped(ctx context.Context, disco discovery.DiscoveryInterfaceWithContext) ([]schema.GroupVersionResource, error) {
	lists, err := discovery.ServerPreferredResourcesWithContext(ctx, disco)
	if err != nil && len(lists) == 0 {
		return nil, err // with some: a failing aggregated API is ignored
	}
	var kinds []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			if !r.Namespaced && slices.Contains(r.Verbs, "delete") && slices.Contains(r.Verbs, "list") {
				kinds = append(kinds, gv.WithResource(r.Name))
			}
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionResource) int {
		if first := rank(a) - rank(b); first != 0 {
			return first
		}
		return strings.Compare(a.String(), b.String())
	})
	return kinds, nil
}

func rank(r schema.GroupVersionResource) int {
	if r.Group == "" && r.Resource == "namespaces" {
		return 0
	}
	return 1
}

// removeObjects deletes all labelled objects of the kinds in order and waits until each kind is gone. The namespace
// shared by all cases goes after the other namespaces.
func removeObjects(ctx context.Context, client metadata.Interface, kinds []schema.GroupVersionResource, say func(string, ...any)) error {
	shared := func(name string) bool { return name == spec.SystemNamespace }
	for _, kind := range kinds {
		for _, mine := range []func(string) bool{func(name string) bool { return !shared(name) }, shared} {
			if err := removeSome(ctx, client.Resource(kind), kind.Resource, mine, say); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeSome removes the labelled objects of one kind selected by mine.
func removeSome(ctx context.Context, client metadata.ResourceInterface, kind string, mine func(name string) bool, say func(string, ...any)) error {
	list := func(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
		all, err := client.List(ctx, metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy})
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(all.Items, func(o metav1.PartialObjectMetadata) bool { return !mine(o.Name) }), nil
	}
	items, err := list(ctx)
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil // forbidden objects were not created with these credentials
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", kind, err)
	}
	for _, item := range items {
		background := metav1.DeletePropagationBackground
		err := client.Delete(ctx, item.Name, metav1.DeleteOptions{
			PropagationPolicy: &background,
			Preconditions:     &metav1.Preconditions{UID: &item.UID},
		})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("delete %s %s: %w", kind, item.Name, err)
		}
		say("     removed %s %s", strings.TrimSuffix(kind, "s"), item.Name)
	}
	if len(items) == 0 {
		return nil
	}
	err = wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, goneTimeout, true, func(ctx context.Context) (bool, error) {
		items, err = list(ctx)
		return err == nil && len(items) == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait until %d %s are gone (a finalizer may hold them): %w", len(items), kind, err)
	}
	return nil
}
