package main

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed onesided.yaml
var oneSidedList []byte

// oneSided is a family that one kubelet may serve without the other, and why.
type oneSided struct {
	Place  string `json:"place"`
	Reason string `json:"reason"`
}

// readOneSided reads the reviewed list, strictly, and returns its places.
func readOneSided(data []byte) (map[string]bool, error) {
	var list []oneSided
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		return nil, fmt.Errorf("read the reviewed list: %w", err)
	}
	places := map[string]bool{}
	var errs []error
	for _, entry := range list {
		switch {
		case entry.Place == "" || entry.Reason == "":
			errs = append(errs, fmt.Errorf("reviewed list: %+v: place and reason must be given", entry))
		case strings.Contains(entry.Place, " dra_"):
			errs = append(errs, fmt.Errorf("reviewed list: %s: the same has happened on both sides, so both count it", entry.Place))
		case places[entry.Place]:
			errs = append(errs, fmt.Errorf("reviewed list: %s is there twice", entry.Place))
		}
		places[entry.Place] = true
	}
	return places, errors.Join(errs...)
}

// dropReviewed removes the families that one kubelet does not serve and that are on the
// reviewed list, and returns their places.
func dropReviewed(stock, own facts, reviewed map[string]bool) (dropped []string) {
	for _, side := range []struct{ served, other facts }{{stock, own}, {own, stock}} {
		for _, place := range slices.Sorted(maps.Keys(side.served)) {
			if _, both := side.other[place]; !both && reviewed[place] {
				dropped = append(dropped, place)
				delete(side.served, place)
			}
		}
	}
	return dropped
}
