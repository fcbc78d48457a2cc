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

// Command dra-controller-manager replaces kube-controller-manager's controllers for dynamic resource
// allocation with this project's:
//
//	resourceclaim-controller           creates claims from templates, cleans up after pods
//	device-taint-eviction-controller   evicts pods from devices with NoExecute taints
//
// manifest.yaml deploys it as a Deployment in the namespace kube-system, with a service account and
// minimal permissions. Before applying it, set the image and disable the controllers in
// kube-controller-manager:
//
//	--controllers=*,-resourceclaim-controller,-device-taint-eviction-controller
//
// When going back, delete the Deployment first. A gap without controllers is harmless, but with both
// running a pod may get two claims instead of one. All state is in the API objects, in the format of
// Kubernetes' controllers.
//
// Outside of a cluster it needs --kubeconfig (and, to serve metrics, --authentication-kubeconfig and
// --authorization-kubeconfig). It elects a leader with the Lease kube-system/dra-controller-manager,
// and serves /healthz, /livez, /readyz and /metrics with TLS on port 10257.
package main
