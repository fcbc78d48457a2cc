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
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/problem/generate"
)

// hard are problems of seed 1 on which the search once gave up, or took 100,000 steps: shares of
// several capacities, devices using several counters, alternatives under a distinctAttribute, and
// claims for groups of devices or beyond 32 results. Only an exhaustive search showed that there
// are too few devices. With prices the longest takes fewer than 750,000 steps.
var hard = []uint64{
	1186, 13403, 19495, 26187, 27346, 30556, 42645, 78729, 86825, 88916,
	97501, 98638, 102393, 121774, 127298, 132584, 136354, 156340, 172855, 189625,
	203377, 222104, 224405, 224640, 247315, 262099, 271865, 274375, 276708, 286293,
	328788, 425917, 432331, 463723, 495460, 537978, 553528, 569810, 573487, 608800,
	651985, 689329, 721495, 746582, 798888, 820448, 823481, 858357, 873599, 880054,
	884260, 903374, 905353, 910468, 913834, 919728, 953173, 962663,
}

func TestHardProblemsEnd(t *testing.T) {
	own := NewOwn()
	own.MaxSteps = 1_000_000
	for _, number := range hard {
		p := generate.Problem(1, number)
		for node, answer := range own.Solve(t.Context(), p, For(time.Hour)) {
			if answer.Kind != Fits && answer.Kind != DoesNotFit {
				t.Errorf("problem %d, %s: %s %v", number, p.Nodes[node].Name, answer.Kind, answer.Err)
			}
		}
	}
}
