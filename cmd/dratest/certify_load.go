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

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// loadDuration is the duration of profile load.
const loadDuration = 5 * time.Minute

// loadRate is the default number of pods per minute, patience the default time without progress.
const (
	loadRate = 30
	patience = 2 * time.Minute
)

// underLoad returns the profile load of a driver. Kubelets of clusters made by dratest are killed, others restarted.
func underLoad(images imageFlags, d declarations.Declaration, made bool) func(context.Context, run.Options, time.Duration) (schema.Load, error) {
	return func(ctx context.Context, r run.Options, duration time.Duration) (schema.Load, error) {
		o := soak.Options{
			Config: testbed.Config{
				Kubeconfig: r.Kubeconfig, Context: r.Context, InCluster: r.InCluster, ReportDir: r.ReportDir, PodImage: r.PodImage, PodTemplate: d.Workload.Template, Out: r.Out,
			},
			Installed: installed(d, r.PodImage, loadRate, true, r.Out), Pods: 1, Duration: duration, Every: installedEvery, Patience: patience,
		}
		if r.Disruptive {
			var nodes faults.Engine
			if made {
				nodes = engine.Engine{}
			}
			o.Faults = append(o.Faults, faults.KillKubelet{Engine: nodes})
			if d.Deploy.DaemonSet != "" {
				o.Faults = append(o.Faults, faults.KillDriver{})
			}
		}
		s, err := soak.Run(ctx, partsOf(images, d, made), o)
		return loadOf(s), err
	}
}

// loadOf is a soak as part of a certificate.
func loadOf(s soak.Summary) schema.Load {
	l := schema.Load{Seconds: s.Seconds, Pods: s.Pods, Missing: s.Problems}
	for _, f := range s.Faults {
		if l.Faults == nil {
			l.Faults = map[string]int{}
		}
		l.Faults[f.Name] = f.Done
	}
	for _, f := range s.Findings {
		if !f.Warning {
			l.Failures = append(l.Failures, fmt.Sprintf("%s: %s", f.Rule, f.Text))
		}
	}
	if s.Results != nil {
		l.PodsPerMinute, l.Costs = s.Results.Achieved, s.Results.Costs
	}
	return l
}
