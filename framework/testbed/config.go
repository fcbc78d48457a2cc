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

package testbed

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/reports"
)

// Config is common to runs, soaks and upgrades: the cluster of their testbed, and the location of results. The zero
// value makes the default cluster.
type Config struct {
	// Kubeconfig and Context name an existing cluster. Without Kubeconfig a cluster is made from Cluster, and removed in
	// the end, unless InCluster is set.
	Kubeconfig string
	Context    string
	// InCluster uses the cluster of this process's pod, with the pod's service account.
	InCluster bool
	// Made is the existing cluster as made by its provider for another testbed, for its invisible properties; the zero
	// value if unknown.
	Made    clusters.Cluster
	Cluster clusters.Config
	// Keep leaves the cluster, the agents and all objects, unless Remove is called.
	Keep bool
	// Reuse uses a cluster of Cluster's name kept by an earlier process.
	Reuse bool
	// Upgrade is the ID of the upgrade by another tool that this process checks; empty for all other processes.
	Upgrade string
	// ReportDir is for results and evidence; empty means $ARTIFACTS, or _artifacts.
	ReportDir string
	// PodImage is the pods' busybox image.
	PodImage string
	// PodTemplate is a pod spec merged with all pods of cases and of soaks; the pods take precedence.
	PodTemplate map[string]any
	// Out gets the lines for people; nil discards them.
	Out io.Writer
}

// WithDefaults fills in the report directory and the output.
func (c Config) WithDefaults() Config {
	c.ReportDir = reports.Dir(c.ReportDir)
	if c.Out == nil {
		c.Out = io.Discard
	}
	return c
}

// Existing tells whether the cluster is there already.
func (c Config) Existing() bool { return c.Kubeconfig != "" || c.InCluster }

// Validate returns all problems at once.
func (c Config) Validate() error {
	var errs []error
	if c.Context != "" && c.Kubeconfig == "" {
		errs = append(errs, errors.New("context: needs a kubeconfig"))
	}
	if c.InCluster && c.Kubeconfig != "" {
		errs = append(errs, errors.New("in-cluster: is instead of a kubeconfig: leave one of them out"))
	}
	if !c.Existing() {
		return errors.Join(append(errs, c.Cluster.WithDefaults("").Validate())...)
	}
	given := map[string]bool{
		"stack": !c.Cluster.Stack.IsZero(), "provider": c.Cluster.Provider != "", "feature-gates": len(c.Cluster.FeatureGates) > 0,
		"runtime-config": len(c.Cluster.RuntimeConfig) > 0, "program": len(c.Cluster.Programs) > 0,
	}
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		if given[flag] {
			errs = append(errs, fmt.Errorf("%s: can only be chosen for a cluster that is made: leave it out, or --kubeconfig and --provider existing", flag))
		}
	}
	return errors.Join(errs...)
}
