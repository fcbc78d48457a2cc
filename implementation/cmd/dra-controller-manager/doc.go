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

// Command dra-controller-manager runs this project's controllers for dynamic resource
// allocation in place of those of kube-controller-manager:
//
//	resourceclaim-controller           creates claims from templates, cleans up after pods
//	device-taint-eviction-controller   evicts pods from devices with NoExecute taints
//
// It is deployed with manifest.yaml, as a Deployment of the namespace kube-system with
// a service account and the permissions that it needs and no others. Two things have
// to be done by who applies it: the image has to be named, and kube-controller-manager
// has to leave the work alone:
//
//	--controllers=*,-resourceclaim-controller,-device-taint-eviction-controller
//
// Do that first, the other way round when going back: there may be a time when nobody
// does the work, but if two do it, a pod may get two claims where it needs one. All
// state is in the objects themselves, in the form that Kubernetes' controllers keep it.
//
// Outside of a cluster it needs --kubeconfig (and, to serve metrics,
// --authentication-kubeconfig and --authorization-kubeconfig). It elects a leader with
// the Lease kube-system/dra-controller-manager, and serves /healthz, /livez, /readyz
// and /metrics with TLS on port 10257.
package main
