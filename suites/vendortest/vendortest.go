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

package vendortest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// Options extend a declaration. The zero value works.
type Options struct {
	// Disruptive enables cases with restarts of kubelets and the driver.
	Disruptive bool
	// ReportDir is the directory of reports and evidence; empty means $ARTIFACTS, or _artifacts.
	ReportDir string
	// AgentImage is the image of dratest's agent; empty means the one in clusters created by
	// dratest.
	AgentImage string
	// Restart restarts the driver, for some checks of Sanity.
	Restart func(ctx context.Context) error
}

// Cases runs the cases for any driver as a Ginkgo suite of this test: flags are Ginkgo's, "ginkgo
// -p" runs several at a time, and the test should have no timeout (-timeout 0). file is the
// declaration, kubeconfig the cluster with the driver.
func Cases(t *testing.T, file, kubeconfig string, o Options) {
	t.Helper()
	d, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	agents := testbed.Sim{}
	agents.Config.Image, agents.Config.KubeletRoot = o.AgentImage, d.Nodes.KubeletRoot
	certify.Suite(t, run.Parts{Cases: certify.Cases(suites.All()), Requirements: requirements.All(), Parts: testbed.Parts{Agents: agents}}, certify.Options{
		Declaration: d, Run: run.Options{
			Config:     testbed.Config{Kubeconfig: kubeconfig, ReportDir: o.ReportDir, PodImage: d.Workload.Image, Out: os.Stderr},
			Disruptive: o.Disruptive, Driver: reports.DriverOf(d.Driver, ""),
		},
	})
}

// Sanity runs the checks of a driver as subtests. The test must run on a node with the kubelet
// connected to the driver, and be allowed to read the driver's sockets and CDI files.
func Sanity(t *testing.T, file, kubeconfig, node string, o Options) {
	t.Helper()
	d, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	options, err := sanityOptions(d, kubeconfig, node)
	if err != nil {
		t.Fatal(err)
	}
	options.Restart = o.Restart
	outcomes, err := sanity.Run(t.Context(), local(d), options)
	if err != nil {
		t.Error(err)
	}
	for _, outcome := range outcomes {
		t.Run(outcome.ID, func(t *testing.T) { report(t, outcome) })
	}
}

// teller is the subset of testing.T needed by tell.
type teller interface {
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// report reports a check's outcome to a test. A check not applicable passes and logs the reason.
func report(t teller, outcome spec.Outcome) {
	switch outcome.Status {
	case spec.Passed:
	case spec.NotApplicable:
		t.Logf("not applicable: %s", outcome.Reason)
	case spec.Failed:
		t.Errorf("%s", outcome.Failure)
	default:
		t.Errorf("%s: %s %s", outcome.Status, outcome.Reason, outcome.Failure)
	}
}

// read reads a declaration.
func read(file string) (declarations.Declaration, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return declarations.Declaration{}, fmt.Errorf("read the declaration: %w", err)
	}
	d, err := declarations.Parse(data)
	if err != nil {
		return d, fmt.Errorf("%s:\n%w", file, err)
	}
	return d, nil
}

// local returns a driver on this machine.
func local(d declarations.Declaration) sanity.Local {
	root := d.Nodes.KubeletRoot
	if root == "" {
		root = "/var/lib/kubelet"
	}
	return sanity.Local{
		Socket: filepath.Join(root, "plugins", d.Driver, "dra*.sock"), RegistryDir: filepath.Join(root, "plugins_registry"),
		CDIDirs: []string{nodefiles.CDIStatic, nodefiles.CDIDynamic},
	}
}

func sanityOptions(d declarations.Declaration, kubeconfig, node string) (sanity.Options, error) {
	o := sanity.Options{Driver: d.Driver, Node: node, Class: d.Classes[0].Name, PublishTimeout: d.Limits.Republish, CheckpointPaths: d.Deploy.CheckpointPaths}
	config, err := testbed.ClientConfig(kubeconfig, "")
	if err != nil {
		return o, err
	}
	if o.Client, err = kubernetes.NewForConfig(config); err != nil {
		return o, fmt.Errorf("make a client: %w", err)
	}
	o.ValidConfig, o.InvalidConfig, err = d.Config.Encoded()
	return o, err
}
