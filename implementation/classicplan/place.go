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

// Handled says whether a scheduler leaves a claim to classic DRA: one that a driver's
// controller allocates or has allocated. The request is what Resolve found; it is empty
// for a claim that is allocated and whose class does not say so any more. Errors are
// mistakes that keep the claim from being allocated.
func Handled(claim *resourceapi.ResourceClaim, class func(name string) *resourceapi.DeviceClass) (request Request, handled bool, err error) {
	request, err = Resolve(claim, class)
	classic := !errors.Is(err, ErrNotClassic)
	if claim.Status.Allocation == nil {
		if !classic {
			return Request{}, false, nil
		}
		return request, true, err
	}
	// The allocation counts, not what its class says by now.
	_, ours, configErr := v1alpha1.AllocationConfigOf(claim.Status.Allocation)
	return request, ours || configErr != nil, configErr
}

// Place is where a classic claim is, or may be.
type Place struct {
	// Allocated says that a driver has decided.
	Allocated bool
	// Nodes are where the claim's resource is available, or those that suit its class; nil
	// means all.
	Nodes *nodeaffinity.NodeSelector
	// Class is the name of the ResourceClass, for messages.
	Class string
}

// Fits says whether the claims of a pod can be used on a node. stuck are the indices of
// claims that are allocated elsewhere, which a deallocation may change; why says of
// another reason, with which there are none.
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
