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

// Package cases has the promises for pods with claims while versions or feature gates of a
// cluster's components change. A case runs in parts between the steps; its Notes carry its
// state, so another process can continue the run.
//
// It changes no component, but may change the driver. Start with Case and All; one case per
// file, or one kind of case with variants differing only in data.
package cases
