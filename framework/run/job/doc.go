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

// Package job runs dratest inside of a cluster, as a Job or as a sonobuoy plugin: the manifests (Manifests,
// Sonobuoy), and the way back for results (Fetch, Done).
//
// The Job's pod has two containers: one runs the cases, the other keeps the pod, and so the volume with the results,
// until they have been fetched. That needs no storage except the node's, and no serving container.
package job
