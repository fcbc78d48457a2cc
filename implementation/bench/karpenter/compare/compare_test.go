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

package compare

import (
	"context"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/bench/karpenter/peer"
)

func config(own difftest.Allocator, n int) Config {
	return Config{Seed: 1, N: n, Own: own, Karpenter: peer.Allocator{}, Upstream: difftest.NewUpstream()}
}

func TestNothingIsUnexplained(t *testing.T) {
	tally, err := Run(t.Context(), config(difftest.NewOwn(), 400))
	if err != nil {
		t.Fatal(err)
	}
	for i := range tally.Found {
		var text strings.Builder
		if err := tally.Found[i].Write(&text); err != nil {
			t.Fatal(err)
		}
		t.Error(text.String())
	}
	if tally.Subset.Both == 0 || tally.Subset.Neither == 0 || tally.Other.OnlyOwn == 0 || tally.Other.OnlyKarpenter == 0 {
		t.Errorf("some kind of answer has not come: %+v, %+v", tally.Subset, tally.Other)
	}
}

// refusing is our allocator, rejecting claims with several requests.
type refusing struct{ difftest.Allocator }

func (r refusing) Solve(ctx context.Context, p *problem.Problem, patience difftest.Patience) []difftest.Answer {
	answers := r.Allocator.Solve(ctx, p, patience)
	for i := range answers {
		if len(p.Claims[0].Spec.Devices.Requests) > 1 {
			answers[i] = difftest.Answer{Kind: difftest.DoesNotFit}
		}
	}
	return answers
}

func TestAnAllocatorThatRefusesIsFound(t *testing.T) {
	tally, err := Run(t.Context(), config(refusing{difftest.NewOwn()}, 400))
	if err != nil {
		t.Fatal(err)
	}
	if len(tally.Found) == 0 {
		t.Error("karpenter places pods that this allocator refuses, and that was not found")
	}
}

// careless is our allocator ignoring taints.
type careless struct{ difftest.Allocator }

func (c careless) Solve(ctx context.Context, p *problem.Problem, patience difftest.Patience) []difftest.Answer {
	without := p.Copy()
	eachDevice(func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil })(without)
	return c.Allocator.Solve(ctx, without, patience)
}

func TestAnAllocatorThatPlacesTooMuchIsFound(t *testing.T) {
	tally, err := Run(t.Context(), config(careless{difftest.NewOwn()}, 400))
	if err != nil {
		t.Fatal(err)
	}
	if tally.Other.BothWrong == 0 {
		t.Error("nothing is wrong with what karpenter places on devices with taints")
	}
}
