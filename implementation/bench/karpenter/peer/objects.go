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

package peer

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objects is the API server for karpenter. Get copies objects, like karpenter's cached client.
// Anything missing here is not called, and would panic.
type objects struct {
	client.Client
	classes map[string]*resourceapi.DeviceClass
	claims  map[client.ObjectKey]*resourceapi.ResourceClaim
}

func newObjects(classes []*resourceapi.DeviceClass, claims []*resourceapi.ResourceClaim) *objects {
	o := &objects{
		classes: make(map[string]*resourceapi.DeviceClass, len(classes)),
		claims:  make(map[client.ObjectKey]*resourceapi.ResourceClaim, len(claims)),
	}
	for _, class := range classes {
		o.classes[class.Name] = class
	}
	for _, claim := range claims {
		o.claims[client.ObjectKeyFromObject(claim)] = claim
	}
	return o
}

// Get reads a class or a claim.
func (o *objects) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch into := into.(type) {
	case *resourceapi.DeviceClass:
		if class, ok := o.classes[key.Name]; ok {
			class.DeepCopyInto(into)
			return nil
		}
		return apierrors.NewNotFound(resourceapi.Resource("deviceclasses"), key.Name)
	case *resourceapi.ResourceClaim:
		if claim, ok := o.claims[key]; ok {
			claim.DeepCopyInto(into)
			return nil
		}
		return apierrors.NewNotFound(resourceapi.Resource("resourceclaims"), key.String())
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, key.String())
}

// List lists claims.
func (o *objects) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	list, ok := into.(*resourceapi.ResourceClaimList)
	if !ok {
		return fmt.Errorf("list %T: there are none here", into)
	}
	for _, claim := range o.claims {
		list.Items = append(list.Items, *claim)
	}
	return nil
}
