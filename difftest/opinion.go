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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

// Opinions counts the oracle's verdicts.
type Opinions struct {
	// Judged counts nodes with an answer of this project, Undecided those with an undecided
	// question.
	Judged, Undecided int
	// Refuted counts nodes with an intended difference and an upstream answer refuted by the
	// oracle.
	Refuted int
}

func (o *Opinions) add(other Opinions) {
	o.Judged += other.Judged
	o.Undecided += other.Undecided
	o.Refuted += other.Refuted
}

// ask returns the first of this project's answers refuted by the oracle.
func ask(p *problem.Problem, own, upstream []Answer, meant *Meant, count *Opinions) *Difference {
	for node := range own {
		verdict, ok := opinion(p, node, own[node])
		if !ok {
			continue
		}
		count.Judged++
		if len(verdict.Undecided) > 0 {
			count.Undecided++
		}
		if len(verdict.Violations) > 0 {
			v := verdict.Violations[0]
			return &Difference{Node: node, What: "oracle: own: " + own[node].Kind.String() + ", " + v.Promise, Own: own[node], Upstream: upstream[node], Oracle: v.String()}
		}
		if meant != nil {
			if other, ok := opinion(p, node, upstream[node]); ok && len(other.Violations) > 0 {
				count.Refuted++
			}
		}
	}
	return nil
}

// opinion judges an answer, if any: an allocation as if the pod were running, a rejection as if it
// were pending in a cluster with only this node.
func opinion(p *problem.Problem, node int, a Answer) (oracle.Verdict, bool) {
	if a.Kind == TooSlow || a.Kind == Crash {
		return oracle.Verdict{}, false
	}
	judged, outcome := outcomeOf(p, node, a)
	return oracle.Judge(judged, outcome), true
}

func outcomeOf(p *problem.Problem, node int, a Answer) (*problem.Problem, oracle.Outcome) {
	pod := oracle.Pod{Namespace: "default", Name: "pod", UID: "pod"}
	var outcome oracle.Outcome
	judged := *p
	if a.Kind == Fits {
		pod.Node = p.Nodes[node].Name
	} else {
		judged.Nodes = p.Nodes[node : node+1]
	}
	for i := range p.Claims {
		claim := p.Claims[i].DeepCopy()
		pod.Claims = append(pod.Claims, claim.Name)
		if a.Kind == Fits {
			claim.Status.Allocation = &a.Allocations[i]
			claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
		}
		outcome.Claims = append(outcome.Claims, *claim)
	}
	outcome.Pods = []oracle.Pod{pod}
	return &judged, outcome
}
