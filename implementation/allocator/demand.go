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

package allocator

import (
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Config is shared by the demands of all pods.
type Config struct {
	Features inventory.Features
	// Class returns a DeviceClass by name, or an error if it does not exist.
	Class func(name string) (*resourceapi.DeviceClass, error)
	// Compile compiles a CEL expression.
	Compile func(expression string) Selector
	// MaxSteps bounds the search on one node, counted in devices evaluated; 0 means DefaultMaxSteps.
	MaxSteps int

	pricesFrom int // defaultPricesFrom if 0
}

// DefaultMaxSteps takes a few seconds.
const DefaultMaxSteps = 5_000_000

// Demand is the validated input from the claims of one pod, prepared once for all nodes. It is
// immutable.
type Demand struct {
	config      Config
	claims      []claimDemand
	subrequests []*subrequest
	// all, admin, listed: some request is for all devices, has admin access, or lists alternatives.
	all, admin, listed bool
}

// claimDemand is one claim without allocation.
type claimDemand struct {
	claim       *resourceapi.ResourceClaim
	name        string
	requests    []requestDemand
	constraints []constraint
}

// requestDemand is one request: a single subrequest, or prioritized alternatives (KEP-4816).
type requestDemand struct {
	name         string
	listed       bool
	alternatives []*subrequest
}

// subrequest is an alternative of a request, or the whole request if it has no list.
type subrequest struct {
	// index in Demand.subrequests. claim and request are indexes, alternative is an index in
	// requestDemand.alternatives.
	index, claim, request, alternative int
	// name in the allocation result: "request" or "request/subrequest".
	name        string
	short       string
	class       *resourceapi.DeviceClass
	all         bool
	count       int
	admin       bool
	filters     []filter
	tolerations []resourceapi.DeviceToleration
	capacity    *resourceapi.CapacityRequirements
	// constraints are the indexes of the applicable constraints of the claim.
	constraints []int
}

// filter is one CEL selector and its position for error messages.
type filter struct {
	selector Selector
	where    string
}

// NewDemand prepares claims without an allocation. It rejects requests this version does not
// understand or must refuse: disabled features, unknown modes, missing classes, more than 32 devices
// per claim.
func NewDemand(claims []*resourceapi.ResourceClaim, config Config) (*Demand, error) {
	if config.MaxSteps == 0 {
		config.MaxSteps = DefaultMaxSteps
	}
	if config.pricesFrom == 0 {
		config.pricesFrom = defaultPricesFrom
	}
	d := &Demand{config: config, claims: make([]claimDemand, 0, len(claims))}
	for index, claim := range claims {
		cd := claimDemand{claim: claim, name: name(claim), requests: make([]requestDemand, 0, len(claim.Spec.Devices.Requests))}
		for i := range claim.Spec.Devices.Requests {
			request, err := d.request(claim, index, i)
			if err != nil {
				return nil, err
			}
			d.listed = d.listed || request.listed
			cd.requests = append(cd.requests, request)
		}
		if err := checkSize(claim, cd.requests, (*subrequest).atLeast); err != nil {
			return nil, err
		}
		if err := cd.constrain(); err != nil {
			return nil, err
		}
		d.claims = append(d.claims, cd)
	}
	for _, a := range d.subrequests {
		d.all = d.all || a.all
		d.admin = d.admin || a.admin
	}
	return d, nil
}

func (d *Demand) request(claim *resourceapi.ResourceClaim, claimIndex, index int) (requestDemand, error) {
	in := &claim.Spec.Devices.Requests[index]
	out := requestDemand{name: in.Name, listed: len(in.FirstAvailable) > 0}
	if out.listed {
		if !d.config.Features.PrioritizedList {
			return out, fmt.Errorf("claim %s, request %s: has subrequests, but the DRAPrioritizedList feature is disabled", name(claim), in.Name)
		}
		for i := range in.FirstAvailable {
			if err := d.checkCapacity("subrequest", claim, in.FirstAvailable[i].Name, in.FirstAvailable[i].Capacity); err != nil {
				return out, err
			}
		}
		for i := range in.FirstAvailable {
			sub := &in.FirstAvailable[i]
			a := &subrequest{
				claim: claimIndex, request: index, alternative: i, name: in.Name + "/" + sub.Name, short: sub.Name,
				tolerations: sub.Tolerations, capacity: sub.Capacity,
			}
			err := d.complete(a, claim, apiRequest{class: sub.DeviceClassName, mode: sub.AllocationMode, count: sub.Count, selectors: sub.Selectors, derived: len(sub.DerivedAttributes)})
			if err != nil {
				return out, err
			}
			out.alternatives = append(out.alternatives, a)
		}
		return out, nil
	}
	exact := in.Exactly
	if exact == nil {
		return out, fmt.Errorf("claim %s, request %s: neither exactly nor firstAvailable is set (unsupported request type?)", name(claim), in.Name)
	}
	if err := d.checkCapacity("request", claim, in.Name, exact.Capacity); err != nil {
		return out, err
	}
	a := &subrequest{
		claim: claimIndex, request: index, name: in.Name, short: in.Name,
		tolerations: exact.Tolerations, capacity: exact.Capacity,
		admin: exact.AdminAccess != nil && *exact.AdminAccess,
	}
	err := d.complete(a, claim, apiRequest{class: exact.DeviceClassName, mode: exact.AllocationMode, count: exact.Count, selectors: exact.Selectors, derived: len(exact.DerivedAttributes), admin: exact.AdminAccess != nil})
	out.alternatives = []*subrequest{a}
	return out, err
}

// checkCapacity rejects capacity in a "request" or "subrequest" while the feature is disabled.
func (d *Demand) checkCapacity(what string, claim *resourceapi.ResourceClaim, request string, capacity *resourceapi.CapacityRequirements) error {
	if capacity == nil || d.config.Features.ConsumableCapacity {
		return nil
	}
	return fmt.Errorf("claim %s, %s %s: has capacity requests, but the DRAConsumableCapacity feature is disabled", name(claim), what, request)
}

// apiRequest holds the fields common to requests and subrequests of the API.
type apiRequest struct {
	class     string
	mode      resourceapi.DeviceAllocationMode
	count     int64
	selectors []resourceapi.DeviceSelector
	derived   int
	admin     bool
}

func (d *Demand) complete(a *subrequest, claim *resourceapi.ResourceClaim, in apiRequest) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("claim %s, request %s: "+format, append([]any{name(claim), a.short}, args...)...)
	}
	if in.derived > 0 {
		return refuse("cannot handle request with derived attributes, the feature is disabled")
	}
	for i := range in.selectors {
		if in.selectors[i].CEL == nil {
			return fmt.Errorf("claim %s, request %s, selector #%d: CEL expression empty (unsupported selector type?)", name(claim), a.short, i)
		}
	}
	switch {
	case in.admin && !d.config.Features.AdminAccess:
		return refuse("admin access is requested, but the feature is disabled")
	case in.class == "":
		return refuse("missing device class name (unsupported request type?)")
	}
	class, err := d.config.Class(in.class)
	if err != nil {
		return refuse("could not retrieve device class %s: %w", in.class, err)
	}
	switch in.mode {
	case resourceapi.DeviceAllocationModeExactCount:
		a.count = int(in.count)
	case resourceapi.DeviceAllocationModeAll:
		a.all = true
	default:
		return refuse("unsupported count mode %s", in.mode)
	}
	a.class = class
	for i := range class.Spec.Selectors {
		if class.Spec.Selectors[i].CEL == nil {
			return refuse("class %s: selector #%d: CEL expression empty (unsupported selector type?)", class.Name, i)
		}
		a.filters = append(a.filters, filter{
			selector: d.config.Compile(class.Spec.Selectors[i].CEL.Expression),
			where:    fmt.Sprintf("class %s: selector #%d", class.Name, i),
		})
	}
	for i := range in.selectors {
		a.filters = append(a.filters, filter{
			selector: d.config.Compile(in.selectors[i].CEL.Expression),
			where:    fmt.Sprintf("claim %s: selector #%d", name(claim), i),
		})
	}
	a.index = len(d.subrequests)
	d.subrequests = append(d.subrequests, a)
	return nil
}

// constrain fills in the constraints of a claim and assigns them to subrequests.
func (cd *claimDemand) constrain() error {
	var errs []error
	for i := range cd.claim.Spec.Devices.Constraints {
		in := &cd.claim.Spec.Devices.Constraints[i]
		c, ok := newConstraint(in)
		if !ok {
			errs = append(errs, fmt.Errorf("claim %s, constraint #%d: empty constraint (unsupported constraint type?)", name(cd.claim), i))
			continue
		}
		cd.constraints = append(cd.constraints, c)
		for _, request := range cd.requests {
			for _, a := range request.alternatives {
				if len(in.Requests) == 0 || slices.Contains(in.Requests, request.name) || slices.Contains(in.Requests, a.name) {
					a.constraints = append(a.constraints, i)
				}
			}
		}
	}
	return errors.Join(errs...)
}

// atLeast is the minimum number of devices on any node.
func (a *subrequest) atLeast() int { return a.count }

// checkSize rejects a claim that is too large even with its smallest alternatives. size returns the
// number of devices of a subrequest.
func checkSize(claim *resourceapi.ResourceClaim, requests []requestDemand, size func(*subrequest) int) error {
	total := 0
	for i := range requests {
		least := size(requests[i].alternatives[0])
		for _, a := range requests[i].alternatives[1:] {
			least = min(least, size(a))
		}
		if least > resourceapi.AllocationResultsMaxSize-total {
			return fmt.Errorf("claim %s, request %s: adding %d devices exceeds the claim limit of %d, with %d already accounted for",
				name(claim), requests[i].name, least, resourceapi.AllocationResultsMaxSize, total)
		}
		total += least
	}
	return nil
}

// name returns the claim's name for messages.
func name(claim *resourceapi.ResourceClaim) string {
	if claim.Namespace == "" {
		return claim.Name
	}
	return claim.Namespace + "/" + claim.Name
}
