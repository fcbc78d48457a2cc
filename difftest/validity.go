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

package difftest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// invalid returns why Kubernetes would not accept an allocation of all claims on a node, "" if it
// would. The judge is upstream's allocator restricted to the picked devices: they have to exist, be
// free, match, be tolerated, and satisfy constraints, counters and capacity, and upstream has to
// write the same allocation. It does not check whether an earlier alternative or device would have
// been possible.
func invalid(ctx context.Context, judge Allocator, p *problem.Problem, node int, own Answer) string {
	picks, err := picked(p, own.Allocations)
	if err != nil {
		return err.Error()
	}
	answer := judge.Solve(ctx, newPinner(p, node).whole(picks), For(answered))[0]
	if what := differ(own, answer); what != "" {
		return "upstream, given only the devices of own's allocation, differs: " + what
	}
	return ""
}

// Accepts reports whether a judge allocates exactly these devices to the claims of a problem on a
// node, if given no others. It ignores the rest of the allocations. The error is for allocations of
// other claims or requests.
func Accepts(ctx context.Context, judge Allocator, p *problem.Problem, node int, allocations []resourceapi.AllocationResult) (bool, error) {
	picks, err := picked(p, allocations)
	if err != nil {
		return false, err
	}
	answer := judge.Solve(ctx, newPinner(p, node).whole(picks), For(answered))[0]
	return answer.Kind == Fits && slices.Equal(devicesOf(answer.Allocations), devicesOf(allocations)), nil
}

func devicesOf(allocations []resourceapi.AllocationResult) []string {
	var all []string
	for i := range allocations {
		for _, r := range allocations[i].Devices.Results {
			all = append(all, fmt.Sprint(i, r.Request, r.Driver, r.Pool, r.Device))
		}
	}
	slices.Sort(all)
	return all
}

// picked are the devices of an allocation by request.
func picked(p *problem.Problem, allocations []resourceapi.AllocationResult) ([]pick, error) {
	if len(allocations) != len(p.Claims) {
		return nil, fmt.Errorf("%d allocations for %d claims", len(allocations), len(p.Claims))
	}
	var picks []pick
	for c := range p.Claims {
		served := map[int]choice{}
		for _, result := range allocations[c].Devices.Results {
			chosen, ok := named(p, c, result.Request)
			if !ok {
				return nil, errors.New("a device is for a request that there is not")
			}
			if other, ok := served[chosen.request]; ok && other != chosen {
				return nil, errors.New("devices are for two alternatives of a request")
			}
			_, request := chosen.in(p)
			if _, again := served[chosen.request]; again && forAll(request) {
				continue
			}
			served[chosen.request] = chosen
			picks = append(picks, pick{chosen, inventory.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}})
		}
		for _, chosen := range choices(p, c) {
			_, ok := served[chosen.request]
			_, request := chosen.in(p)
			if needs := request.Count > 0 || forAll(request); !ok && needs {
				return nil, errors.New("a request has no device")
			}
		}
	}
	return picks, nil
}

// named finds the request for its name in a result.
func named(p *problem.Problem, claim int, name string) (choice, bool) {
	for _, chosen := range choices(p, claim) {
		if n, _ := chosen.in(p); n == name {
			return chosen, true
		}
	}
	return choice{}, false
}

// choices are the requests of a claim, each with its alternatives.
func choices(p *problem.Problem, claim int) []choice {
	var all []choice
	for r, request := range p.Claims[claim].Spec.Devices.Requests {
		if request.Exactly != nil {
			all = append(all, choice{claim, r, 0})
		}
		for a := range request.FirstAvailable {
			all = append(all, choice{claim, r, a})
		}
	}
	return all
}
