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
	"fmt"
	"regexp"
)

// GapState is how much of a requirement passing cases leave unobserved.
type GapState string

const (
	// InPart is a requirement that passing cases leave partly unobserved.
	InPart GapState = "in part"
	// Open is a requirement without a case.
	Open GapState = "open"
	// NotObservable is a requirement that no case can check.
	NotObservable GapState = "not observable"
)

// Gap is a requirement that cases do not observe whole.
type Gap struct {
	ID    RequirementID `json:"id"`
	State GapState      `json:"state"`
	// Why is what passing cases miss or, for NotObservable, why no case can see it, with the deciding
	// line of source or document.
	Why string `json:"why"`
}

var (
	sentence = regexp.MustCompile(`^[A-Z].*\.$`)
	// Place matches a line of source ("manager.go:436") or of a document.
	Place = regexp.MustCompile(`[a-z]:\d+|\blines? \d+`)
)

// Problem returns what is wrong with a gap, or nothing.
func (g Gap) Problem() string {
	switch {
	case g.State != InPart && g.State != Open && g.State != NotObservable:
		return fmt.Sprintf("has state %q, must be %q, %q or %q", g.State, InPart, Open, NotObservable)
	case !sentence.MatchString(g.Why):
		return "must say why, in one sentence"
	case g.State == NotObservable && !Place.MatchString(g.Why):
		return "is not observable, and must name the deciding line of source or document"
	}
	return ""
}
