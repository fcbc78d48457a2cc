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

// Command dra-composable-controller connects a cluster to a device fabric shared by several clusters
// (KEP-5007): it publishes free devices, attaches devices for claims, and detaches unused devices.
//
// manifest.yaml deploys it as a Deployment in the namespace kube-system, with a service account and
// minimal permissions. Replace the image, the driver's name (in a permission and a flag), the fabric's
// address, and the Secret with the token and the fabric's certificate authority.
//
// Outside of a cluster it needs --kubeconfig (and, to serve metrics, --authentication-kubeconfig and
// --authorization-kubeconfig). It elects a leader with the Lease
// kube-system/dra-composable-controller; with several fabrics, set --leader-elect-resource-name. It
// serves /healthz, /livez, /readyz and /metrics with TLS on port 10269.
package main
