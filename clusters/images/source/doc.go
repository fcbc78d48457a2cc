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

// Package source finds what Kubernetes is built from: a checkout, with a key that changes
// with every file that is compiled (Open), or the module of a release, which "make
// add-version" keeps in the repository and a pre-release gets for one build (Fetch). Fetch
// needs the go command and a module proxy.
//
// It builds nothing; clusters/images/modules does.
package source
