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

// Command compare-kubelets compares dra-kubelet with Kubernetes' own kubelet while
// both run, on two nodes of one cluster: what they say of their configuration, flags,
// node and metrics must be the same. It also checks that dra-kubelet sends no request to
// resource.k8s.io while pods with claims run and nothing happens.
//
// Start with main; differences.go is what being the same means, without a cluster.
// It makes the cluster and removes it.
package main
