package spec

import (
	"errors"
	"regexp"
	"slices"
)

// The components that a Stack tells about.
const (
	Scheduler   = "scheduler"
	Controllers = "controllers"
	Kubelet     = "kubelet"
)

// KnownIssue is what a component of Kubernetes is known to do in place of what a case
// checks. Where that component runs, a case that sees exactly this has not failed.
type KnownIssue struct {
	// Issue is upstream's, as "kubernetes#139939", or where there is none the file of
	// k8s.io/kubernetes with the cause.
	Issue string `json:"issue"`
	// Component is the one that does it, as a Stack names it.
	Component string `json:"component"`
	// From is the oldest minor release that has it, as "1.36"; empty for all that have
	// what the case is about. In older ones the case fails.
	From string `json:"from,omitempty"`
	// Through is the newest minor release in which it was seen, as "1.37". In newer
	// ones somebody has to look again: the case fails.
	Through string `json:"through"`
	// Does is what it does, in a sentence.
	Does string `json:"does"`
}

var minorRelease = regexp.MustCompile(`^1\.[0-9]+$`)

// Validate returns all problems at once.
func (k KnownIssue) Validate() error {
	var errs []error
	if k.Issue == "" || k.Does == "" {
		errs = append(errs, errors.New("a known issue must have an issue and say what the component does"))
	}
	if !slices.Contains([]string{Scheduler, Controllers, Kubelet}, k.Component) {
		errs = append(errs, errors.New("a known issue must be one of the scheduler, the controllers or the kubelet"))
	}
	if !minorRelease.MatchString(k.Through) {
		errs = append(errs, errors.New(`a known issue must name the last minor release that has it, as "1.37"`))
	}
	if k.From != "" && !minorRelease.MatchString(k.From) {
		errs = append(errs, errors.New(`a known issue must name the first minor release that has it, as "1.36"`))
	}
	return errors.Join(errs...)
}
