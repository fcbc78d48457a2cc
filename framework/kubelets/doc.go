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

// Package kubelets compares dra-kubelet with the stock kubelet on two nodes of one cluster:
// configuration, flags, node status and metrics must be the same. While pods with claims run and
// nothing changes, dra-kubelet must not send requests to resource.k8s.io.
//
// Switch measures how long drivers have no devices while kubelets are switched.
//
// Start at Compare. differences.go defines equivalence, without a cluster.
package kubelets
