package main

import (
	"slices"
	"testing"
)

// kube-controller-manager runs on both sides, so that leaving it out of ours would count
// for less what takes more memory.
func TestMemoryOfASideIsThatOfAllThatRunsThere(t *testing.T) {
	var r sides[controllerResult]
	stock, own := sidesOf(&r)
	if !slices.Equal(stock.components, []string{"kube-controller-manager"}) || stock.result != &r.Stock {
		t.Errorf("stock: %+v", stock)
	}
	if !slices.Equal(own.components, []string{"kube-controller-manager", "dra-controller-manager"}) || own.result != &r.Own {
		t.Errorf("own: %+v", own)
	}
}
