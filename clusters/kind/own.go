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

package kind

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Images provides node images and components from a registry, a cache or a build. A cluster requests
// only those it uses.
type Images interface {
	// NodeImage returns the image for a configuration without one.
	NodeImage(ctx context.Context, c clusters.Config) (ref string, err error)
	// Scheduler, Controllers and Kubelet return this project's components for a Kubernetes version.
	Scheduler(ctx context.Context, version string) (clusters.ComponentImage, error)
	Controllers(ctx context.Context, version string) (clusters.ComponentImage, error)
	Kubelet(ctx context.Context, version string) (clusters.ComponentBinary, error)
}

// built are this project's components of a stack; the others are zero.
type built struct {
	scheduler, controllers clusters.ComponentImage
	kubelet                clusters.ComponentBinary
}

func buildOwn(ctx context.Context, from Images, s clusters.Stack, version string) (b built, err error) {
	if s.Scheduler == spec.Own {
		b.scheduler, err = from.Scheduler(ctx, version)
	}
	if err == nil && s.Controllers == spec.Own {
		b.controllers, err = from.Controllers(ctx, version)
	}
	if err == nil && s.Kubelet == spec.Own {
		b.kubelet, err = from.Kubelet(ctx, version)
	}
	return b, err
}

// ownOf returns the changes to make in a new, all-stock cluster.
func ownOf(s clusters.Stack) clusters.Stack {
	var own clusters.Stack
	if s.Scheduler == spec.Own {
		own.Scheduler = spec.Own
	}
	if s.Controllers == spec.Own {
		own.Controllers = spec.Own
	}
	if s.Kubelet == spec.Own {
		own.Kubelet, own.KubeletNodes = spec.Own, s.KubeletNodes
	}
	return own
}

// fits returns an error if the component's version is not the cluster's.
func fits(what, kubernetes, version string) error {
	if kubernetes != version {
		return fmt.Errorf("%w for %s: it is built for Kubernetes %s, the cluster has %s", clusters.ErrUnknownVersion, what, kubernetes, version)
	}
	return nil
}
