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

package plan

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Filter selects the user's cases; the zero value means all.
type Filter struct {
	// Focus keeps the cases with an ID, alias or Text matching one of these regular expressions, Skip drops them.
	Focus []string `json:"focus,omitempty"`
	Skip  []string `json:"skip,omitempty"`
	// Profile keeps the cases of a subset; empty means all.
	Profile spec.Subset `json:"profile,omitempty"`
	// Labels is a label filter in Ginkgo's grammar, as "core && !Slow".
	Labels string `json:"labels,omitempty"`
	// Mutant keeps the cases declaring to catch it (Meta.Catches).
	Mutant spec.MutantID `json:"mutant,omitempty"`
}

// Text is the name of a case's Ginkgo spec.
func Text(m spec.Meta) string { return m.ID + " " + m.Checks }

// Select returns the cases kept by the filter, in order. Errors are those of the filter, all at once; an empty result
// is no error.
func Select(metas []spec.Meta, filter Filter) ([]spec.Meta, error) {
	focus, err := compile("focus", filter.Focus)
	skip, skipErr := compile("skip", filter.Skip)
	labels, labelErr := types.ParseLabelFilter(filter.Labels)
	if labelErr != nil {
		labelErr = fmt.Errorf("label filter %q: %s", filter.Labels, plainText(labelErr))
	}
	if err := errors.Join(err, skipErr, labelErr, knownProfile(filter.Profile), knownMutant(filter.Mutant)); err != nil {
		return nil, err
	}
	var selected []spec.Meta
	for _, m := range metas {
		if len(focus) > 0 && !anyMatches(focus, m) || anyMatches(skip, m) || !labels(m.Labels()) || !m.In(filter.Profile) ||
			filter.Mutant != "" && !slices.Contains(m.Catches, filter.Mutant) {
			continue
		}
		selected = append(selected, m)
	}
	return selected, nil
}

func knownProfile(s spec.Subset) error {
	if s == "" || slices.Contains(spec.Subsets(), s) {
		return nil
	}
	return fmt.Errorf("profile %q is unknown, choose %s, %s or %s", s, spec.SubsetCore, spec.SubsetConformance, spec.SubsetAll)
}

// plainText returns Ginkgo's errors in one line, without the filter itself and colors.
func plainText(err error) string {
	var of types.GinkgoError
	if !errors.As(err, &of) {
		return err.Error()
	}
	_, message, _ := strings.Cut(of.Message, "\n")
	return of.Heading + ": " + message
}

func compile(name string, patterns []string) ([]*regexp.Regexp, error) {
	var compiled []*regexp.Regexp
	var errs []error
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %q: %w", name, p, err))
			continue
		}
		compiled = append(compiled, re)
	}
	return compiled, errors.Join(errs...)
}

// anyMatches matches the ID alone, too, so "^core/one-device$" selects one case.
func anyMatches(patterns []*regexp.Regexp, m spec.Meta) bool {
	names := append([]string{m.ID, Text(m)}, m.Aliases...)
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return slices.ContainsFunc(names, re.MatchString) })
}

func knownMutant(id spec.MutantID) error {
	if id == "" {
		return nil
	}
	if _, found := spec.FindMutant(id); found {
		return nil
	}
	var known []string
	for _, m := range spec.Mutants() {
		known = append(known, m.ID)
	}
	return fmt.Errorf("mutant %q is unknown, known are: %s", id, strings.Join(known, ", "))
}
