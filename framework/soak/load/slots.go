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

package load

// Slots are the kinds whose devices may all come from one pool of a fabric, in which they
// are alike (KEP-5007).
func Slots() []Kind { return []Kind{OneDevice, TwoDevices, TwoClaims, TwoPods} }

// SlotAttributes are what the devices of that pool have to have.
func SlotAttributes() map[string]string { return map[string]string{use: plain} }

// NewHeld returns a generator of units whose pods do not end by themselves, as none does on
// simulated nodes: a third is deleted at some moment from its creation, the others a while
// after they run.
func NewHeld(seed int64, kinds []Kind) *Generator {
	g := New(seed, kinds)
	g.held = true
	return g
}
