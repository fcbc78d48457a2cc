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

// Package whatif holds the cases comparing the predictions of dra-whatif with the cluster's scheduler:
// nodes are added as predicted, one less at first (KEP-4381, section "Simulation with CA"). Nodes are
// simulated except in real_nodes.go. Start at expectTrue; kinds.go has a case for each kind of claim.
package whatif
