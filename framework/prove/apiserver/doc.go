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

// Package apiserver has bugs of an API server, for any API server: they are made by a proxy
// that stands before it, between the cases and what they judge, or between a component of
// a control plane of processes and what that is told. So they are bugs of Kubernetes' own
// components, too, which cannot be built otherwise.
//
// What a bug is, is data (mutants/*.yaml): a refusal that is not made, a refusal too many,
// what is stored or answered otherwise, or a parameter that counts for nothing.
//
// Start with Load and Start; Plane puts components behind a proxy.
package apiserver
