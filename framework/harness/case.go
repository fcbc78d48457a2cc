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

package harness

import "github.com/dra-conformance/dratest/framework/spec"

// Case is one test case: data, then code.
type Case struct {
	spec.Meta

	// TimeoutScale is the factor for the time of the cleanup; zero means 1. It has been applied to Timeout.
	TimeoutScale float64

	// Run sets up, acts, waits and asserts. Everything in Needs is in place; failures are Gomega
	// assertions or t.Fatalf.
	Run func(t *T)
}
