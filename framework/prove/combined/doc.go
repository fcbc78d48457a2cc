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

// Package combined mutates this project's scheduler mechanically, one place after the other, and judges each
// mutant by an exploration: bugs in combinations of features, beside the chosen ones of package components.
//
// Candidates lists all mutants of the source (go/ast), Draw chooses some by a seed. They are built into one
// scheduler (components.Overlay) and switched at run time.
package combined
