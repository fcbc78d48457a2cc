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

package scheduler

import "time"

// Outcome is the result of a wait for binding conditions: the "status" label of the metrics.
type Outcome string

// The outcomes in Kubernetes.
const (
	OutcomeSuccess Outcome = "success"
	OutcomeFailure Outcome = "failure"
	OutcomeTimeout Outcome = "timeout"
	OutcomeError   Outcome = "error"
)

// Metrics records the plugin's metrics. The metrics themselves belong to kube-scheduler and keep their
// names.
type Metrics interface {
	// BindingConditionsWait observes the wait of a pod for the binding conditions of an allocated device
	// (scheduler_dra_bindingconditions_wait_duration_seconds).
	BindingConditionsWait(profile, driver string, outcome Outcome, duration time.Duration)
	// BindingConditionsAllocation counts a device with binding conditions
	// (scheduler_dra_bindingconditions_allocations_total).
	BindingConditionsAllocation(profile, driver string, outcome Outcome)
	// ClaimCreate counts an attempt to create the claim for extended resources
	// (dynamic_resource_allocation_resourceclaim_creates_total).
	ClaimCreate(success bool)
}

type noMetrics struct{}

func (noMetrics) BindingConditionsWait(string, string, Outcome, time.Duration) {}
func (noMetrics) BindingConditionsAllocation(string, string, Outcome)          {}
func (noMetrics) ClaimCreate(bool)                                             {}
