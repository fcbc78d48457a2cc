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

package main

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/implementation/bench/hard"
)

// Both allocators must give a family's expected answer, otherwise the numbers are meaningless.
func TestFamilies(t *testing.T) {
	for _, f := range hard.Families() {
		for _, size := range slices.Concat(f.Sizes[:1], f.Larger) {
			t.Run(fmt.Sprint(f.Name, size), func(t *testing.T) {
				problem := f.Build(size)
				if size == f.Sizes[0] {
					if err := upstream(problem, time.Minute)(); err != nil {
						t.Error(err)
					}
				}
				for _, do := range []func() error{hard.Own(problem), hard.Cold(problem)} {
					if err := do(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func TestFilter500(t *testing.T) {
	for _, v := range hard.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			problem := hard.Filter500(v)
			for name, do := range map[string]func() error{"upstream": upstream(problem, time.Minute), "own": hard.Own(problem), "cold": hard.Cold(problem)} {
				if err := do(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
