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

// Package script injects faults into the gRPC service of a DRA driver, and records the kubelet's calls
// (Script.Intercept is a gRPC interceptor).
//
// It works on wire messages: the kubelet's view is exact and the driver behind it is unaware. It prepares no devices.
//
// Start with Script; faults.go implements the kinds of faults.
package script
