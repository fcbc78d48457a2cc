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

package generate

// knob is a kind of complication in a problem. Without any, a pod requests some devices of one
// pool.
type knob int

const (
	severalNodes knob = iota
	severalPools
	severalSlices
	perDevice
	brokenPools
	attributesMissing
	classSelectors
	requestSelectors
	riskySelectors
	severalClaims
	severalRequests
	allDevices
	alternatives
	adminAccess
	matchAttribute
	distinctAttribute
	taints
	counters
	shares
	sharePolicies
	binding
	configuration
	inUse
	history
	featuresOff
	future
	manyResults
	numKnobs
)

// companions are required by a knob to have an effect.
var companions = map[knob][]knob{ //nolint:gochecknoglobals // a table
	sharePolicies: {shares},
}

// turnKnobs chooses the complications: a single one in a third of the problems, a few in most, any
// number in the rest.
func (g *generator) turnKnobs() {
	switch kind := g.IntN(100); {
	case kind < 30:
		g.turn(g.anyKnob())
	case kind < 90:
		for range g.between(2, 6) {
			g.turn(g.anyKnob())
		}
	default:
		for k := range numKnobs {
			if frequency(k) == 100 && g.chance(40) {
				g.turn(k)
			}
		}
	}
}

func (g *generator) turn(k knob) {
	g.knobs[k] = true
	for _, companion := range companions[k] {
		g.knobs[companion] = true
	}
}

// anyKnob picks a knob; rare ones mostly hide other features, or cost time.
func (g *generator) anyKnob() knob {
	for {
		if k := knob(g.IntN(int(numKnobs))); g.chance(frequency(k)) {
			return k
		}
	}
}

// frequency is a knob's relative frequency in percent.
func frequency(k knob) int {
	switch k {
	case future, manyResults:
		return 15
	case brokenPools, riskySelectors, featuresOff:
		return 50
	}
	return 100
}
