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

// Command dra-classic-driver is a classic DRA driver to try and to test with. "controller"
// is its half in the control plane, with the devices of classic/sampledriver; its half on
// nodes is dra-sim, which kubelet-plugin.yaml deploys: the module of that program has what
// talks to kubelets and writes CDI files. "simulate" says what pods that wait would get with
// more nodes, and "definitions" prints what the cluster needs.
//
// manifest.yaml deploys it with the least rights. Outside of a cluster it needs
// --kubeconfig. With --leader-elect it competes for the Lease of the driver's name in
// --namespace, and ends when it loses that.
package main
