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

// Package scheduler is the scheduler plugin for classic DRA, where a driver's own controller
// allocates claims: it asks drivers about nodes with PodScheduling objects, decides with
// classicplan, and reserves allocated claims. There is one file per extension point of the
// scheduling framework; start at Factory, then prefilter.go.
//
// It works beside this project's plugin DRA, responsible for all other claims of a pod: ClassicDRA
// comes first in PreFilter, Reserve and PreBind, last in Filter, and before DefaultPreemption in
// PostFilter; see cmd/dra-scheduler/config-classic.yaml. A profile without ClassicDRA does not read
// classic DRA's objects.
//
// There is no polling: events of claims, nodes and classes reach pods as queueing hints, events of
// classic DRA's own objects through the plugin's informers.
//
// In addition to kube-scheduler's permissions it needs, in classic.dra-conformance.github.io: list
// and watch on resourceclasses, podschedulings and classicclaims, get, create, update and delete on
// podschedulings, update on classicclaims.
package scheduler
