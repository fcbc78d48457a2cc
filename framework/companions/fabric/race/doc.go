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

// Package race makes two clusters race for the last device of a fabric (KEP-5007), round after round: two control
// planes of processes, each with dra-composable-controller and a pod requesting the device at the same moment.
//
// In each round exactly one pod must be bound, with the device attached to its node. The other pod must not be bound
// until the winner is gone, and is rescheduled then. Start at Run, then round.go.
package race
