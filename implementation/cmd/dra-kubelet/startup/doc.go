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

// Package startup reads the kubelet's flags and configuration files, and passes the final
// configuration and dependencies to the function running the kubelet.
//
// Kubernetes' own command does this in one closure without extension points
// (cmd/kubelet/app/server.go). This package reimplements it with the kubelet's exported parts and the
// same behavior: flags, files, precedence, --help, --version and /flagz. upstream_test.go fails if the
// replaced functions change.
//
// Start with Command.
package startup
