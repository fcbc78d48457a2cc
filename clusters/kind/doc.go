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

// Package kind creates test clusters on this machine: real Kubernetes nodes in containers, through
// kind's Go package, with a pod network without an image.
//
// Images provides node images; clusters/host installs and starts the container engine. The package
// removes only resources it created.
//
// Start with Provider; render.go has the configuration of a cluster, state.go its stored state.
package kind
