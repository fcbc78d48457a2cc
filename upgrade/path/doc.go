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

// Package path computes the steps from one Kubernetes version to another, and back: an order of component changes
// with the version skew policy (https://kubernetes.io/releases/version-skew-policy) observed before, between and
// after all steps, and a safe order to switch a feature gate in all components. Requests violating a rule are refused
// with that rule.
//
// It is pure: it changes nothing and knows no cluster. Start with Find; rules.go has the policy, gates.go the
// dependencies of gates.
package path
