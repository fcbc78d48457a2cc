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

// Package api holds the cases of the API alone: the objects the API server accepts and rejects. They
// need no node, so they also run on a bare control plane.
//
// A case with a table of rules judges it with rules.go: each row pairs an invalid object, with the
// expected field and reason, with the nearest valid one. Known violations by Kubernetes are separate
// cases.
package api
