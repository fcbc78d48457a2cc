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
