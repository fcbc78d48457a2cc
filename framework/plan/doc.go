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

// Package plan decides which cases run on a target: it applies the user's filter, and skips cases with unmet needs,
// with the code and the text of spec.Needs.Missing.
//
// It is pure: package probe examines the target, and others run the plan. Start with Build; Select is its first half,
// for use without a target.
package plan
