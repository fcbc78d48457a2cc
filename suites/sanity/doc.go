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

// Package sanity checks a DRA driver's promises to the kubelet over gRPC, while the kubelet
// stays connected. It creates and allocates claims for free devices, in each version of the
// plugin API served by the driver.
//
// Checks follow the doc comments of the plugin library and the KEPs. Behavior left open there
// is not checked. A NodeAccess provides access to the driver's socket and node.
//
// Start with Run; all.go lists the checks, check.go has their API.
package sanity
