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

package plugin

import (
	"time"

	schedmetrics "k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// metrics are kube-scheduler's own metrics.
type metrics struct{}

func (metrics) BindingConditionsWait(profile, driver string, outcome scheduler.Outcome, duration time.Duration) {
	schedmetrics.DRABindingConditionsPreBindDuration.WithLabelValues(profile, driver, string(outcome)).Observe(duration.Seconds())
}

func (metrics) BindingConditionsAllocation(profile, driver string, outcome scheduler.Outcome) {
	schedmetrics.DRABindingConditionsAllocationsTotal.WithLabelValues(profile, driver, string(outcome)).Inc()
}

func (metrics) ClaimCreate(success bool) {
	status := "failure"
	if success {
		status = "success"
	}
	schedmetrics.ResourceClaimCreatesTotal.WithLabelValues(status, "false", "", "Pod").Inc()
}
