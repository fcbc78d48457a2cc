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

// Package containermanager puts this project's DRA manager into the kubelet.
//
// The kubelet makes its ContainerManager with a DRA manager inside, without a way to
// choose another. This package lets it, replaces it afterwards by one that answers for
// DRA itself, and keeps what is inside from doing harm: it never sees a claim, a
// driver, the checkpoint or the node.
//
// A start goes through these points, each with a line in the log: "Put the DRA
// checkpoint aside", "Put the DRA checkpoint back", "Installed the DRA manager",
// "Started the DRA manager". It can be killed at any of them and loses no claim.
//
// Start with Run, then manager. The rules of DRA are in implementation/kubelet.
package containermanager
