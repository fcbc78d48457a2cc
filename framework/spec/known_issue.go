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

package spec

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"time"
)

// The components of a Stack.
const (
	Scheduler   = "scheduler"
	Controllers = "controllers"
	Kubelet     = "kubelet"
)

// APIServer is the component outside of a Stack: only its version is known.
const APIServer = "API server"

// Assumable returns the values of --assume-stock, each with the component it declares
// to be Kubernetes' own.
func Assumable() map[string]string {
	return map[string]string{Scheduler: Scheduler, Controllers: Controllers, Kubelet: Kubelet, "apiserver": APIServer}
}

// Replaceable returns the names of the components of a Stack.
func Replaceable() []string { return []string{Scheduler, Controllers, Kubelet} }

// AssumableNames returns the values of --assume-stock in order.
func AssumableNames() []string { return slices.Sorted(maps.Keys(Assumable())) }

// KnownIssue is a known deviation of a Kubernetes component from a case's check. With that component, a case
// observing exactly this has not failed. The rows of framework/issues have all of them.
type KnownIssue struct {
	// ID is the name of its row.
	ID string `json:"id,omitempty" yaml:"id"`
	// Issue is upstream's issue, as "kubernetes#139939", or otherwise the file of k8s.io/kubernetes with the cause.
	Issue string `json:"issue" yaml:"issue,omitempty"`
	// Component is the affected component, by its name in a Stack, or APIServer.
	Component string `json:"component" yaml:"component"`
	// From is the oldest affected release, as "1.36" or "1.36.2"; empty for all with the case's feature. In older ones
	// the case fails.
	From string `json:"from,omitempty" yaml:"from,omitempty"`
	// Through is the newest release it was observed in: "1.37" stands for all its patch releases, "1.37.1" for those up
	// to this one. In newer ones the case fails, or the issue needs a review.
	Through string `json:"through" yaml:"through"`
	// Review is the date of the maintainers' next review, as "2027-01-31"; the nightly workflow fails from then on.
	Review string `json:"review" yaml:"review"`
	// Does describes the deviation in a sentence.
	Does string `json:"does" yaml:"does"`
	// Reviews are the reviews since it was recorded, by version.
	Reviews []Review `json:"reviews,omitempty" yaml:"reviews,omitempty"`
}

var release = regexp.MustCompile(`^1\.[0-9]{1,4}(\.[0-9]{1,4})?$`)

var kubernetesRelease = regexp.MustCompile(`^(v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.[0-9]+)?)([-+._].*)?$`)

// IsRelease reports whether version is a release or prerelease of Kubernetes, without
// the suffix of a distribution as in "v1.37.1-gke.1" or "v1.37.1+k3s1".
func IsRelease(version string) bool {
	release, ok := ReleaseOf(version)
	return ok && release == version
}

// ReleaseOf returns the Kubernetes release of a build: "v1.37.1" for "v1.37.1+k3s1". It reports false if version does
// not begin with one.
func ReleaseOf(version string) (string, bool) {
	parts := kubernetesRelease.FindStringSubmatch(version)
	if parts == nil {
		return "", false
	}
	return parts[1], true
}

// Validate returns all problems at once.
func (k KnownIssue) Validate() error {
	var errs []error
	if k.Issue == "" || k.Does == "" {
		errs = append(errs, errors.New("a known issue must have an issue and say what the component does"))
	}
	if k.Component != APIServer && !slices.Contains(Replaceable(), k.Component) {
		errs = append(errs, errors.New("a known issue must be one of the scheduler, the controllers, the kubelet or the API server"))
	}
	if !release.MatchString(k.Through) {
		errs = append(errs, errors.New(`a known issue must name the last release that has it, as "1.37" or "1.37.1"`))
	}
	if k.From != "" && !release.MatchString(k.From) {
		errs = append(errs, errors.New(`a known issue must name the first release that has it, as "1.36" or "1.36.2"`))
	}
	if !isDate(k.Review) {
		errs = append(errs, errors.New(`a known issue must name the day of its next review, as "2027-01-31"`))
	}
	if len(errs) == 0 {
		errs = append(errs, k.validateReviews())
	}
	return errors.Join(errs...)
}

func isDate(day string) bool {
	_, err := time.Parse(time.DateOnly, day)
	return err == nil
}

// Due tells whether somebody must look again by now.
func (k KnownIssue) Due(now time.Time) bool {
	day, err := time.Parse(time.DateOnly, k.Review)
	return err != nil || !now.Before(day)
}
