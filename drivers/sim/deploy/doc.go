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

// Package deploy installs dra-sim's agent on the nodes of a cluster and uninstalls it: a namespace, least-privilege
// RBAC, a DaemonSet.
//
// It neither builds nor loads images: nodes must have Config.Image, or be able to pull it. Start with Install,
// WaitReady and Uninstall.
package deploy
