package main

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// Both allocators must give the answer that a family is made for, else the
// numbers mean nothing.
func TestFamilies(t *testing.T) {
	for _, f := range families() {
		for _, size := range slices.Concat(f.sizes[:1], f.larger) {
			t.Run(fmt.Sprint(f.name, size), func(t *testing.T) {
				problem := f.build(size)
				if size == f.sizes[0] {
					if err := upstream(problem, time.Minute)(); err != nil {
						t.Error(err)
					}
				}
				for _, do := range []func() error{own(problem), cold(problem)} {
					if err := do(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func TestFilter500(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			problem := filter500(v)
			for name, do := range map[string]func() error{"upstream": upstream(problem, time.Minute), "own": own(problem), "cold": cold(problem)} {
				if err := do(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
