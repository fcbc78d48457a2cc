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

// Package containermanager installs this project's DRA manager in the kubelet.
//
// The kubelet creates its ContainerManager with a built-in DRA manager and offers no alternative. This
// package replaces the ContainerManager afterwards by one with its own DRA manager. The built-in one
// remains but never sees a claim, a driver, the checkpoint or the node.
//
// Each step of a start is logged: "Put the DRA checkpoint aside", "Put the DRA checkpoint back",
// "Installed the DRA manager", "Started the DRA manager". A kill at any step loses no claim.
//
// Start with Run, then manager. The rules of DRA are in implementation/kubelet.
package containermanager
