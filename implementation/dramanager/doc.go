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

// Package dramanager keeps DRA objects in memory: a SharedDRAManager (KEP-4381, section "Cluster
// Autoscaler") for programs linking kube-scheduler's framework to simulate it. Changes can be undone
// (Fork, Commit, Revert). Start at Manager.
//
// Such a program runs PreFilter, Filter and Reserve of the plugin, then Bind in place of PreBind and
// the API server. This project's plugin shares the manager's claim state (scheduler.Simulation);
// others only use the interface.
package dramanager
