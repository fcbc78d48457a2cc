package plugin

import (
	"time"

	schedmetrics "k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// metrics are kube-scheduler's own, under the names that it gives them.
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
