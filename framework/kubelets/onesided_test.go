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

package kubelets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestReviewedListCanBeRead(t *testing.T) {
	if places, err := readOneSided(oneSidedList); err != nil || len(places) == 0 {
		t.Errorf("%d places, error %v", len(places), err)
	}
}

func TestReviewedListIsRefused(t *testing.T) {
	for name, row := range map[string]struct{ list, want string }{
		"no reason":     {"- place: /metrics a", "must be given"},
		"about DRA":     {"- {place: /metrics dra_calls, reason: r}", "counts it, too"},
		"no kubelet":    {"- {place: /metrics a, only: mine, reason: r}", "is not stock"},
		"twice":         {"- {place: /metrics a, reason: r}\n- {place: /metrics a, reason: r}", "twice"},
		"unknown field": {"- {place: /metrics a, why: r}", "unknown field"},
	} {
		if _, err := readOneSided([]byte(row.list)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %q", name, err, row.want)
		}
	}
}

// Families with labels on one kubelet only were ignored without a review.
func TestWhatOneKubeletServesAloneIsADifferenceUnlessReviewed(t *testing.T) {
	stock := facts{"/metrics errors_total": `counter{type} "E."`, "/metrics both": `gauge{} "B."`}
	own := facts{"/metrics retries_total": `counter{type} "R."`, "/metrics both": `gauge{} "B."`}
	if diff := cmp.Diff([]string{"/metrics errors_total"}, dropReviewed(stock, own, map[string]spec.Provenance{"/metrics errors_total": ""})); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	lines := differences(stock, own, "m")
	if len(lines) != 1 || !strings.Contains(lines[0], "retries_total") {
		t.Errorf("differences are %q", lines)
	}
}

// Flake in CI: a kubelet's server started before the registration of its metrics. This can happen to
// both kubelets.
func TestServerThatIsQuickerThanItsMetricsIsNoDifference(t *testing.T) {
	reviewed, err := readOneSided(oneSidedList)
	if err != nil {
		t.Fatal(err)
	}
	const place = "/metrics kubelet_metrics_provider"
	if diff := cmp.Diff([]string{place}, dropReviewed(facts{}, facts{place: "gauge{provider}"}, reviewed)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// Flake in CI: a node had to prepare a claim before the API server's node authorizer had seen the pod.
// The stock kubelet counts an error and retries later, our kubelet retries immediately. An error
// counted by our kubelet would be a difference.
func TestErrorThatOnlyTheStockKubeletCounts(t *testing.T) {
	reviewed, err := readOneSided(oneSidedList)
	if err != nil {
		t.Fatal(err)
	}
	const place = "/metrics dra_operations_duration_seconds{is_error=true,operation_name=PrepareResources}"
	if dropped := dropReviewed(facts{place: "counts it"}, facts{}, reviewed); len(dropped) != 1 {
		t.Errorf("of the stock kubelet's, dropped %q", dropped)
	}
	const another = "/metrics dra_operations_duration_seconds{is_error=true,operation_name=UnprepareResources}"
	if dropped := dropReviewed(facts{another: "counts it"}, facts{}, reviewed); len(dropped) != 0 {
		t.Errorf("of the stock kubelet's at the end of a pod, dropped %q", dropped)
	}
	if dropped := dropReviewed(facts{}, facts{place: "counts it"}, reviewed); len(dropped) != 0 {
		t.Errorf("of the own kubelet's, dropped %q", dropped)
	}
}
