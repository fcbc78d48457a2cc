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

package sanity

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	healthv1 "k8s.io/kubelet/pkg/apis/dra-health/v1"
	healthv1alpha1 "k8s.io/kubelet/pkg/apis/dra-health/v1alpha1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// healthDeclined is about: kubeletplugin.DRAPlugin, WatchHealthStatus. The kubelet stops asking
// after Unimplemented.
var healthDeclined = Check{Meta: spec.Meta{
	ID:       "sanity/health-declined",
	Checks:   "The driver answers a health watch with reports or with Unimplemented.",
	Requires: []spec.RequirementID{"kubeletplugin/no-health-support"},
}, Source: "kubeletplugin.DRAPlugin, WatchHealthStatus", Once: true, Run: func(t *T) {
	for version, watch := range t.healthAPIs() {
		if reports, err := watch(); !reports && status.Code(err) != codes.Unimplemented {
			t.Failf("watch health in %s: neither a report nor Unimplemented: %v", version, err)
		}
	}
}}

// bothHealthAPIs is about: kubeletplugin.HealthV1alpha1.
var bothHealthAPIs = Check{Meta: spec.Meta{
	ID:       "sanity/both-health-apis",
	Checks:   "A driver reporting health in v1 of the API also does so in v1alpha1, and registers with both.",
	Requires: []spec.RequirementID{"kubeletplugin/both-health-apis"},
}, Source: "kubeletplugin.HealthV1alpha1", Once: true, Run: func(t *T) {
	apis := t.healthAPIs()
	if reports, err := apis["v1"](); !reports { // in libraries since v0.37
		t.NotApplicablef("the driver does not report the health of its devices in v1: %v", err)
	}
	if reports, err := apis["v1alpha1"](); !reports {
		t.Failf("health is reported in v1, and not in v1alpha1: %v", err)
	}
	if _, ok := t.NodeAccess.(Registry); !ok {
		return
	}
	for _, s := range t.sockets() {
		if s.Driver == t.Driver && s.Problem == "" {
			t.expect(missing(s.Services, healthv1.DRAResourceHealthService, healthv1alpha1.DRAResourceHealthService), "services registered by the driver")
		}
	}
}}

// healthAPIs watches health in each API version until the first report or error.
func (t *T) healthAPIs() map[string]func() (reports bool, err error) {
	return map[string]func() (bool, error){
		"v1": func() (bool, error) {
			return firstReport(t, func(ctx context.Context) (interface {
				Recv() (*healthv1.NodeWatchResourcesResponse, error)
			}, error) {
				return healthv1.NewDRAResourceHealthClient(t.conn).NodeWatchResources(ctx, &healthv1.NodeWatchResourcesRequest{})
			})
		},
		"v1alpha1": func() (bool, error) {
			return firstReport(t, func(ctx context.Context) (interface {
				Recv() (*healthv1alpha1.NodeWatchResourcesResponse, error)
			}, error) {
				return healthv1alpha1.NewDRAResourceHealthClient(t.conn).NodeWatchResources(ctx, &healthv1alpha1.NodeWatchResourcesRequest{})
			})
		},
	}
}

// firstReport waits for a stream's first report, for the time of one call.
func firstReport[R any](t *T, open func(context.Context) (interface{ Recv() (R, error) }, error)) (reports bool, err error) {
	ctx, cancel := context.WithTimeout(t.ctx, t.CallTimeout)
	defer cancel()
	stream, err := open(ctx)
	if err == nil {
		_, err = stream.Recv()
	}
	return err == nil, err
}

// missing returns the wanted items not present.
func missing(have []string, wanted ...string) []string {
	there := map[string]bool{}
	for _, h := range have {
		there[h] = true
	}
	var problems []string
	for _, w := range wanted {
		if !there[w] {
			problems = append(problems, w+" is missing")
		}
	}
	return problems
}
