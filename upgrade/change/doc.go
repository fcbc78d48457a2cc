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

// Package change performs single steps of a path (package path) on the nodes of a running cluster: static pods by
// manifest and image, kube-proxy by its DaemonSet, kubelets by replacing their program. A step is done once the
// component itself reports the version and the feature gates, and is healthy.
//
// It builds nothing and decides nothing. Start with Cluster.Do.
package change
