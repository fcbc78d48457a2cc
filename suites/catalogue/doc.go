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

// Package catalogue generates suites/catalogue.yaml, the list of all cases with promises,
// requirements and needs, suites/known-issues.md, the known failures of Kubernetes, and the counts
// in suites/requirements/gaps.yaml. The files are committed to make added and dropped cases visible
// in reviews; a test compares them with the code.
//
// RenderCases and RenderMutants generate the documents of "dratest list -o markdown".
package catalogue
