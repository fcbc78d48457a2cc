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

// Command dra-classic-driver is a classic DRA driver for trials and tests. "controller" is its control
// plane part, with the devices of classic/sampledriver. Its node part is dra-sim, deployed by
// kubelet-plugin.yaml: that program's module talks to kubelets and writes CDI files. "simulate" predicts
// the devices of waiting pods on additional nodes. "definitions" prints the cluster's prerequisites.
//
// manifest.yaml deploys it with minimal permissions. Outside of a cluster it needs --kubeconfig. With
// --leader-elect it competes for the Lease with the driver's name in --namespace, and exits when it
// loses that.
package main
