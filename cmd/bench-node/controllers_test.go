package main

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

// kube-controller-manager runs on both sides, so that leaving it out of ours would count
// for less what takes more memory.
func TestMemoryOfASideIsThatOfAllThatRunsThere(t *testing.T) {
	for others, components := range map[clusters.Implementation][]string{
		clusters.Own:   {"kube-controller-manager", "dra-controller-manager"},
		clusters.Stock: {"kube-controller-manager"},
	} {
		var r sides[controllerResult]
		both := sidesOf(&r, others)
		if stock := both[0]; stock.whose != clusters.Stock || !slices.Equal(stock.components, []string{"kube-controller-manager"}) || stock.result != &r.Stock {
			t.Errorf("stock: %+v", stock)
		}
		if other := both[1]; other.whose != others || !slices.Equal(other.components, components) || other.result != &r.Own {
			t.Errorf("%s: %+v", others, other)
		}
	}
}
