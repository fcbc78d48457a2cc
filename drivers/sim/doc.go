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

// Package sim is dra-sim's agent: one process per node hosting any number of driver instances, each a complete DRA
// driver for the kubelet.
//
// Package inject defines the environment of containers, package script injected faults, package fabric the device
// conditions; cases call the agent through package client.
//
// Start with Agent; instance.go has the lifecycle of a driver, control.go the gRPC endpoint.
package sim
