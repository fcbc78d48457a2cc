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

package classicplan

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// Handled reports whether classic DRA is responsible for a claim: a driver's controller allocates
// it or has allocated it. The request is from Resolve; it is empty for an allocated claim whose
// class is no longer classic. Errors are mistakes preventing the allocation.
func Handled(claim *resourceapi.ResourceClaim, class func(name string) *resourceapi.DeviceClass) (request Request, handled bool, err error) {
	request, err = Resolve(claim, class)
	classic := !errors.Is(err, ErrNotClassic)
	if claim.Status.Allocation == nil {
		if !classic {
			return Request{}, false, nil
		}
		return request, true, err
	}
	// The allocation counts, not the current class.
	_, ours, configErr := v1alpha1.AllocationConfigOf(claim.Status.Allocation)
	return request, ours || configErr != nil, configErr
}

// Place is the actual or possible location of a classic claim.
type Place struct {
	// Allocated is set after a driver's decision.
	Allocated bool
	// Nodes are where the claim's resource is available, or the nodes suitable for its class; nil
	// means all.
	Nodes *nodeaffinity.NodeSelector
	// Class is the name of the ResourceClass, for messages.
	Class string
}

// Fits reports whether the claims of a pod are usable on a node. stuck are the indices of claims
// allocated elsewhere, fixable by deallocation; why is any other reason, without stuck claims.
func Fits(places []Place, rejected sets.Set[string], node *corev1.Node) (stuck []int, why string) {
	for i, place := range places {
		switch {
		case place.Nodes == nil || place.Nodes.Match(node):
		case place.Allocated:
			stuck = append(stuck, i)
		default:
			return nil, fmt.Sprintf("resource class %s does not suit the node", place.Class)
		}
	}
	if rejected.Has(node.Name) {
		return nil, "a driver cannot allocate a claim for the node"
	}
	return stuck, ""
}
