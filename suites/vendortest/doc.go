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

// Package vendortest is for the Go tests of a DRA driver's vendor: Cases runs the cases for any
// driver in a cluster, Sanity the checks of the driver's promises to the kubelet, on the node
// itself. Both read driver.yaml.
//
// See the module examples/vendor. Verdicts and certificates come from "dratest certify".
package vendortest
