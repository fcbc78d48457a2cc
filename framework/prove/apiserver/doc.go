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

// Package apiserver has mutants of an API server, for any API server: a proxy between the cases and the API server,
// or between a control plane component and the API server, implements them. So they also cover stock components,
// which cannot be built with mutants.
//
// A mutant is data (mutants/*.yaml): a missing rejection, an additional rejection, changed stored or returned data,
// or an ignored parameter.
//
// Start with Load and Start; Plane puts components behind a proxy.
package apiserver
