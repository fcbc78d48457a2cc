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
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

// Defaults for an installed driver.
const (
	installedDuration = 15 * time.Minute
	installedEvery    = time.Minute
)

// installedOptions converts the flags for the driver of a declaration.
func (f *soakFlags) installedOptions(flags *pflag.FlagSet) (o soak.Options, d declarations.Declaration, err error) {
	if d, err = readDeclaration(f.file); err != nil {
		return o, d, err
	}
	for _, name := range []string{
		"fabric", "classic", "at", "switch", "spoil", "times", "pods", "pod-template", "workers",
		"version", "image", "node-image-source", "node-image-registry", "stack", "scheduler", "controllers", "kubelet",
	} {
		if flags.Changed(name) {
			return o, d, fmt.Errorf("%s: not with -f: the driver is in an existing cluster, and the declaration describes its pods", name)
		}
	}
	o = f.Options
	o.Installed = installed(d, f.PodImage, f.rate, !flags.Changed("rate"), f.Out)
	o.Pods, o.PodTemplate = 1, d.Workload.Template
	if !flags.Changed("at-once") {
		o.AtOnce = 0
	}
	if !flags.Changed("duration") {
		o.Duration = installedDuration
	}
	if !flags.Changed("every") {
		o.Every = installedEvery
	}
	var nodes faults.Engine
	if flags.Changed("name") {
		nodes = engine.Engine{}
	}
	o.Faults, err = f.kills(faults.OfInstalled(), func(component string) soak.Fault { return faults.KillingInstalled(component, nodes) })
	for _, fault := range o.Faults {
		if fault.Name() == (faults.KillDriver{}).Name() && d.Deploy.DaemonSet == "" {
			err = errors.New("kill: driver: deploy.daemonSet is not declared, so the driver's pods are unknown")
		}
	}
	return o, d, err
}

// installed is the driver of a declaration. With fit, the rate is lower if there are few devices.
func installed(d declarations.Declaration, podImage string, rate float64, fit bool, out io.Writer) *soak.Installed {
	return &soak.Installed{Finder: certify.Vendors{Declaration: d, PodImage: podImage, Out: out}, Limits: certify.Limits(d.Budget), Rate: rate, Fit: fit}
}

// runInstalled measures the driver of a declaration.
func (f *soakFlags) runInstalled(cmd *cobra.Command) error {
	defer endOnNextSignal(cmd.Context())()
	o, d, err := f.installedOptions(cmd.Flags())
	if err == nil {
		err = f.findInstalled(cmd.Flags(), &o)
	}
	if err == nil {
		err = o.Validate()
	}
	if dir := reports.Dir(o.ReportDir); err == nil && soak.OfAnotherEngine(dir) {
		err = fmt.Errorf("%s has the report of a run: use another --report-dir", dir)
	}
	if err != nil {
		return withCode(codeUsage, err)
	}
	summary, err := soak.Run(cmd.Context(), partsOf(f.images, d, cmd.Flags().Changed("name")), o)
	return soakError(cmd.Context(), summary, err)
}

// partsOf are the parts for a declared driver, in a cluster made by dratest or another one.
func partsOf(images imageFlags, d declarations.Declaration, made bool) soak.Parts {
	parts := soak.Parts{Parts: testbed.Parts{Agents: agentsOf(images, d)}}
	if made { // kubelets are killed there
		parts.Repair = faults.UnfreezeContainers{Engine: engine.Engine{}}.Do
	}
	return parts
}

// findInstalled finds the cluster of the flags.
func (f *soakFlags) findInstalled(flags *pflag.FlagSet, o *soak.Options) error {
	name := ""
	if flags.Changed("name") {
		name = f.Cluster.Name
	}
	o.Cluster.Name = ""
	return findCertifyTarget(&o.Config, name)
}
