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

// Package kubelets compares dra-kubelet with Kubernetes' own kubelet while both run, on two
// nodes of one cluster: configuration, flags, node status and metrics must be the same, and
// dra-kubelet must send no request to resource.k8s.io while pods with claims run and nothing
// changes.
//
// Switch measures for how long drivers have no devices while kubelets are switched.
//
// Start at Compare. differences.go decides what counts as the same, without a cluster.
package kubelets
