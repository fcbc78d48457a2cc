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

// Package spec is dratest's vocabulary as plain data: cases and their needs, targets, plans, outcomes, and the
// configuration of the programmable DRA driver.
//
// It has no behavior beyond validation, formatting and the table of needs (needs.go), no clients and no clock, so
// every other package may import it. It uses Kubernetes' own structs of resource.k8s.io/v1 where they exist.
//
// Start with Meta (a case), Target (a cluster), Plan and Outcome; DriverConfig and Fault configure the test driver.
package spec
