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

// Defect is a deliberate defect to be detected: a fault, injected at run time, or a mutant, built into a program.
// Tests detect it as a violation.
type Defect struct {
	// ID is its name on the command line.
	ID string `json:"id"`
	// What describes the defect in a few words or a sentence.
	What string `json:"what"`
	// Requires are the violated requirements. A case listing one of them must fail.
	Requires []RequirementID `json:"requires,omitempty"`
	// Issue is an issue of a published component or driver with this defect: "kubernetes#141274" or
	// "owner/repository#1"; empty if none is known.
	Issue string `json:"link,omitempty"`
}

// String is the defect in one line.
func (d Defect) String() string {
	if d.Issue == "" {
		return d.What
	}
	return d.Issue + ": " + d.What
}
