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

package kubelets

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

//go:embed onesided.yaml
var oneSidedList []byte

// oneSided is a family, or a series of a DRA family, allowed on one kubelet only, with the reason.
type oneSided struct {
	Place string `json:"place"`
	// Only is the kubelet allowed to have it: stock, or either if empty.
	Only   spec.Provenance `json:"only,omitempty"`
	Reason string          `json:"reason"`
}

// readOneSided strictly decodes the reviewed list, and returns the allowed kubelet by path.
func readOneSided(data []byte) (map[string]spec.Provenance, error) {
	var list []oneSided
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		return nil, fmt.Errorf("read the reviewed list: %w", err)
	}
	places := map[string]spec.Provenance{}
	var errs []error
	for _, entry := range list {
		_, twice := places[entry.Place]
		switch {
		case entry.Place == "" || entry.Reason == "":
			errs = append(errs, fmt.Errorf("reviewed list: %+v: place and reason must be given", entry))
		case strings.Contains(entry.Place, " dra_") && entry.Only != spec.Stock:
			errs = append(errs, fmt.Errorf("reviewed list: %s: the same has happened on both sides, so the own kubelet counts it, too", entry.Place))
		case entry.Only != "" && entry.Only != spec.Stock:
			errs = append(errs, fmt.Errorf("reviewed list: %s: only: %q is not stock", entry.Place, entry.Only))
		case twice:
			errs = append(errs, fmt.Errorf("reviewed list: %s is there twice", entry.Place))
		}
		places[entry.Place] = entry.Only
	}
	return places, errors.Join(errs...)
}

// dropReviewed removes facts of one kubelet allowed by the reviewed list, and returns their paths.
func dropReviewed(stock, own facts, reviewed map[string]spec.Provenance) (dropped []string) {
	for _, side := range []struct {
		whose         spec.Provenance
		served, other facts
	}{{spec.Stock, stock, own}, {spec.Own, own, stock}} {
		for _, place := range slices.Sorted(maps.Keys(side.served)) {
			_, both := side.other[place]
			only, listed := reviewed[place]
			if !both && listed && (only == "" || only == side.whose) {
				dropped = append(dropped, place)
				delete(side.served, place)
			}
		}
	}
	return dropped
}
