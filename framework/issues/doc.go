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

// Package issues has the known issues of Kubernetes as data: issues.yaml has a row for each, with its component, the
// affected versions and its reviews.
//
// Cases refer to an issue by its ID (Known) and report its symptom; framework/plan decides whether it is excused. Package
// review judges the issues on a version. Start with All.
package issues
