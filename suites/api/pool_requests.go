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

package api

import (
	"context"

	"github.com/onsi/gomega"
	alphaapi "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PoolRequests writes requests for the status of pools, and answers to one. A status at creation is dropped.
var PoolRequests = harness.Case{Meta: spec.Meta{
	ID:       "api/pool-requests",
	Checks:   "A pool status request has a driver and a limit from 1 to 1000, default 100; it and its answer are immutable.",
	Requires: []spec.RequirementID{"kep-5677/request-driver", "kep-5677/request-pool-name", "kep-5677/request-limit", "kep-5677/request-immutable", "kep-5677/answer-immutable"},
	Needs:    spec.Needs{NoNode: true, APIs: []string{"v1alpha3"}, Features: []spec.Feature{spec.PoolStatus}},
}, Run: func(t *harness.T) {
	requests := t.Client.ResourceV1alpha3().ResourcePoolStatusRequests()
	valid := func() *alphaapi.ResourcePoolStatusRequest { return validPoolRequest(t) }
	of := func(name string) func(*alphaapi.ResourcePoolStatusRequest) {
		return func(r *alphaapi.ResourcePoolStatusRequest) { r.Spec.Driver = name }
	}
	pool := func(name string) func(*alphaapi.ResourcePoolStatusRequest) {
		return func(r *alphaapi.ResourcePoolStatusRequest) { r.Spec.PoolName = &name }
	}
	limit := func(n int32) func(*alphaapi.ResourcePoolStatusRequest) {
		return func(r *alphaapi.ResourcePoolStatusRequest) { r.Spec.Limit = &n }
	}
	judge(t, valid, create(t, requests), []rule[*alphaapi.ResourcePoolStatusRequest]{
		{"no driver", of("driver.example.com"), of(""), "spec.driver", required},
		{"a driver with an underscore", of("Driver.example.com"), of("driver_1.example.com"), "spec.driver", invalid},
		{"an empty pool", pool("a/b.c"), pool(""), "spec.poolName", ""},
		{"a pool with an empty part", pool("a/b"), pool("a//b"), "spec.poolName", ""},
		{"a pool with a capital", pool("a"), pool("A"), "spec.poolName", invalid},
		{"a limit of nothing", limit(1), limit(0), "spec.limit", invalid},
		{"a limit of 1001", limit(1000), limit(1001), "spec.limit", invalid},
	}...)

	made := valid()
	made.Status = &alphaapi.ResourcePoolStatusRequestStatus{PoolCount: ptr.To(int32(7))}
	given, err := requests.Create(t.Context(), made, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	t.NoError(err, "create a request with a status")
	t.Expect(given.Status).To(gomega.BeNil(), "status set at creation")
	t.Expect(given.Spec.Limit).To(gomega.HaveValue(gomega.Equal(int32(100))), "limit of a request without one")

	stored := valid()
	t.Create(stored)
	answered := answeredRequest(t, stored.Name)
	label := func(r *alphaapi.ResourcePoolStatusRequest) { r.Labels["a"] = "b" }
	judge(t, answered.DeepCopy, update(t, requests), []rule[*alphaapi.ResourcePoolStatusRequest]{
		{"another driver", label, of("other.example.com"), "spec", invalid},
		{"another limit", label, limit(7), "spec", invalid},
		{"another pool", label, pool("a"), "spec", invalid},
	}...)
	judge(t, answered.DeepCopy, updateStatus(t, requests), []rule[*alphaapi.ResourcePoolStatusRequest]{
		{"another answer", label, func(r *alphaapi.ResourcePoolStatusRequest) { r.Status.PoolCount = ptr.To(int32(7)) }, "status", invalid},
		{"no answer any more", label, func(r *alphaapi.ResourcePoolStatusRequest) { r.Status = nil }, "status", invalid},
	}...)
}}

// validPoolRequest is about all pools of a driver.
func validPoolRequest(t *harness.T) *alphaapi.ResourcePoolStatusRequest {
	return &alphaapi.ResourcePoolStatusRequest{ObjectMeta: metav1.ObjectMeta{Name: t.Namespace}, Spec: alphaapi.ResourcePoolStatusRequestSpec{Driver: driver}}
}

// answeredRequest returns a stored request with an answer: by a controller, if there is one, else by the case.
func answeredRequest(t *harness.T, name string) (request *alphaapi.ResourcePoolStatusRequest) {
	requests := t.Client.ResourceV1alpha3().ResourcePoolStatusRequests()
	t.Poll("the answer to a request", func(ctx context.Context) (bool, string, error) {
		var err error
		if request, err = requests.Get(ctx, name, metav1.GetOptions{}); err != nil || request.Status != nil {
			return err == nil, "the answer", err
		}
		request.Status = &alphaapi.ResourcePoolStatusRequestStatus{PoolCount: ptr.To(int32(0))}
		_, err = requests.UpdateStatus(ctx, request, metav1.UpdateOptions{})
		return false, "none", err
	})
	return request
}

// PoolRequestAttribute names the attribute with the partition type in a request.
var PoolRequestAttribute = harness.Case{Meta: spec.Meta{
	ID:       "api/pool-request-attribute",
	Checks:   "The partition type attribute of a pool status request has a domain; others are rejected.",
	Requires: []spec.RequirementID{"kep-5677/request-attribute"},
	Needs:    spec.Needs{NoNode: true, APIs: []string{"v1alpha3"}, Features: []spec.Feature{spec.PoolStatus, spec.PartitionTypes}},
}, Run: func(t *harness.T) {
	valid := func() *alphaapi.ResourcePoolStatusRequest { return validPoolRequest(t) }
	named := func(attribute string) func(*alphaapi.ResourcePoolStatusRequest) {
		return func(r *alphaapi.ResourcePoolStatusRequest) { r.Spec.DefaultPartitionTypeAttribute = &attribute }
	}
	const field = "spec.defaultPartitionTypeAttribute"
	judge(t, valid, create(t, t.Client.ResourceV1alpha3().ResourcePoolStatusRequests()), []rule[*alphaapi.ResourcePoolStatusRequest]{
		{"a name without a domain", named("example.com/profile"), named("profile"), field, ""},
		{"a name with a space", named("example.com/profile"), named("example.com/a profile"), field, invalid},
	}...)
}}
