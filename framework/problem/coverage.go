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

package problem

import (
	"fmt"
	"slices"
)

// Coverage counts combinations of features in problems.
type Coverage struct {
	features []Feature
	used     []int
	pairs    map[[2]int]bool
	triples  map[[3]int]bool
}

// NewCoverage returns an empty Coverage.
func NewCoverage() *Coverage {
	features := slices.Concat(AllFeatures(), PodFeatures())
	return &Coverage{features: features, used: make([]int, len(features)), pairs: map[[2]int]bool{}, triples: map[[3]int]bool{}}
}

// Add counts a problem.
func (c *Coverage) Add(p *Problem) {
	var used []int
	for i := range c.features {
		if c.features[i].Used(p) {
			used = append(used, i)
			c.used[i]++
		}
	}
	for i, a := range used {
		for j, b := range used[i+1:] {
			c.pairs[[2]int{a, b}] = true
			for _, third := range used[i+j+2:] {
				c.triples[[3]int{a, b, third}] = true
			}
		}
	}
}

// possible returns the number of features used so far, and of their pairs and triples.
func (c *Coverage) possible() (features, pairs, triples int) {
	for _, times := range c.used {
		if times > 0 {
			features++
		}
	}
	return features, features * (features - 1) / 2, features * (features - 1) * (features - 2) / 6
}

// Shares returns the covered fractions of pairs and triples, among the features used so far.
func (c *Coverage) Shares() (pairs, triples float64) {
	_, p, t := c.possible()
	return float64(len(c.pairs)) / float64(max(1, p)), float64(len(c.triples)) / float64(max(1, t))
}

// String returns the numbers of pairs and triples.
func (c *Coverage) String() string {
	features, pairs, triples := c.possible()
	return fmt.Sprintf("%d features, %d of %d pairs, %d of %d triples", features, len(c.pairs), pairs, len(c.triples), triples)
}
