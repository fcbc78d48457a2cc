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

package path

import "slices"

// builder appends steps until one is refused.
type builder struct {
	request Request
	path    Path
	state   State
	refusal *RefusalError
}

func (b *builder) add(step Step) {
	if b.refusal != nil {
		return
	}
	next := b.state.After(step)
	if b.refusal = checkStep(step); b.refusal == nil {
		b.refusal = check(next)
	}
	b.path.Steps, b.state = append(b.path.Steps, step), next
}

// move adds a step to other software if a place does not have it yet.
func (b *builder) move(p Place, to Software) {
	if from := b.state.Software[p]; from != to {
		drain := b.request.Drain && p.Component == Kubelet && from.Version != to.Version
		b.add(Step{Place: p, From: from, To: to, Drain: drain})
	}
}

// climb goes along a ladder, up or down. Builds of one version have no order: only the way back from one goes down.
func (b *builder) climb(rungs []Version, back bool) {
	end := rungs[len(rungs)-1]
	newer := end.Compare(rungs[0])
	up := newer > 0 || newer == 0 && !back
	if b.request.KubeletsLast && !up {
		b.kubelets(end)
	}
	for _, v := range rungs[1:] {
		if up {
			b.controlPlane(v, order[:4])
			if !b.request.KubeletsLast {
				b.kubelets(v)
			}
			continue
		}
		if !b.request.KubeletsLast {
			b.kubelets(v)
		}
		down := slices.Clone(order[:4])
		slices.Reverse(down)
		b.controlPlane(v, down)
	}
	if b.request.KubeletsLast {
		b.kubelets(end)
	}
}

// controlPlane moves components to a version in order, each on all nodes before the next.
func (b *builder) controlPlane(v Version, components []Component) {
	for _, c := range components {
		for _, p := range b.state.places(c) {
			b.move(p, Software{Version: v})
		}
	}
}

func (b *builder) kubelets(v Version) {
	for _, node := range b.request.nodes() {
		b.move(Place{Kubelet, node}, b.request.kubelet(node, v))
	}
}

// own moves places to this project's component, or back to Kubernetes' own.
func (b *builder) own(own bool) {
	places := slices.Clone(b.request.Own)
	if !own {
		slices.Reverse(places)
	}
	for _, p := range places {
		b.move(p, Software{Version: b.request.To, Own: own})
	}
}

// gate switches a gate in all components not switched yet.
func (b *builder) gate(s Switch) {
	before := len(b.path.Steps)
	components := slices.Clone(switched)
	if !s.On {
		slices.Reverse(components)
	}
	for _, c := range components {
		for _, p := range b.state.places(c) {
			has := b.state.Software[p]
			if _, known := s.Gate.Stage(has.Version.Minor); known && b.state.On(s.Gate, p) == s.On {
				continue
			}
			b.add(Step{Place: p, From: has, To: has, Gate: s.Gate, On: s.On})
		}
	}
	if len(b.path.Steps) == before && b.refusal == nil {
		b.refusal = refuse(GateChanges, "feature gate %s is %s already", s.Gate, onOff(s.On))
	}
}
