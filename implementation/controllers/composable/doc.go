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

// Package composable is the controller of a composable fabric: it publishes free devices, attaches
// them for allocated claims, reports to the scheduler in claim status, and detaches unused devices
// (KEP-5007, section "Composable Controller Design Overview").
//
// fabricplan decides; this package watches, queries the fabric and writes. Only devices' idle times
// are kept in memory: a successor continues from the claims, slices and the fabric.
//
// Start at Controller; syncClaim and refresh do the work. Manager is a Fabric over HTTP.
package composable
