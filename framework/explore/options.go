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

package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Options configure an exploration.
type Options struct {
	testbed.Config

	// Seed determines the problems.
	Seed uint64
	// Problems and Duration are limits, zero means none. The first one reached ends the
	// exploration.
	Problems int
	Duration time.Duration
	// Features selects problems with all of these features, by name.
	Features []string
	// Parallel is the number of problems sharing the cluster.
	Parallel int
	// First ends the exploration with its first finding, which is not minimized.
	First bool
	// Resume continues the exploration in ReportDir.
	Resume bool
	// Replay is the file of a finding to replay instead of random problems.
	Replay string
}

// Validate returns all errors of the options at once.
func (o Options) Validate() error {
	errs := []error{o.Config.Validate()}
	if o.Problems < 0 {
		errs = append(errs, fmt.Errorf("problems: %d: must not be negative", o.Problems))
	}
	if o.Duration < 0 {
		errs = append(errs, fmt.Errorf("duration: %s: must not be negative", o.Duration))
	}
	if o.Parallel < 1 {
		errs = append(errs, fmt.Errorf("parallel: %d: must be at least 1", o.Parallel))
	}
	if o.Resume && o.Replay != "" {
		errs = append(errs, errors.New("replay: tries one problem: leave resume out"))
	}
	for _, name := range o.Features {
		if !slices.Contains(FeatureNames(), name) {
			errs = append(errs, fmt.Errorf("features: unknown feature %q: must be one of %s", name, strings.Join(FeatureNames(), ", ")))
		}
	}
	return errors.Join(errs...)
}

// FeatureNames lists the names of Options.Features. Left out are features of problems that only a comparison of
// allocators generates.
func FeatureNames() []string {
	var names []string
	for _, f := range slices.Concat(problem.AllFeatures(), problem.PodFeatures()) {
		if !slices.Contains([]string{"features off", "history", "unknown kind of request"}, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// wanted reports whether a problem has all selected features.
func (o Options) wanted(p *problem.Problem) bool {
	for _, f := range slices.Concat(problem.AllFeatures(), problem.PodFeatures()) {
		if slices.Contains(o.Features, f.Name) && !f.Used(p) {
			return false
		}
	}
	return true
}
