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

package suites_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/companions"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/requirements"
)

// TestSuites runs all cases in one process, on a cluster created for it:
//
//	go test ./suites -timeout 0 -args -e2e
//
// Go's default timeout of 10 minutes is too short. "ginkgo -p ./suites -- -e2e" runs the cases in
// parallel. Ginkgo's own flags select cases; see run.Suite. Without -e2e and -kubeconfig the test is
// skipped: "go test ./..." must not create a cluster.

var (
	e2e        = flag.Bool("e2e", false, "create a cluster and run all cases")
	kubeconfig = flag.String("kubeconfig", "", "kubeconfig of an existing cluster; $KUBECONFIG is ignored to avoid using a cluster by mistake")
	disruptive = flag.Bool("disruptive", false, "with -kubeconfig: run cases that restart kubelets, too")
	restarts   = flag.Bool("restart-nodes", false, "with -kubeconfig: run cases that restart a worker or a node of the control plane, too")
	assume     = flag.String("assume-stock", "", "components to treat as unmodified upstream builds, as in scheduler,controllers")
	strict     = flag.Bool("strict", false, "count known issues of Kubernetes as failures")
	keep       = flag.Bool("keep", false, "keep the cluster, the test driver and the objects of failed cases")
	podImage   = flag.String("pod-image", spec.ImageBusybox, "busybox image for the pods of cases")
)

func TestSuites(t *testing.T) {
	if !*e2e && *kubeconfig == "" {
		t.Skip("needs a cluster: run go test ./suites -timeout 0 -args -e2e to create one, or -args -kubeconfig FILE")
	}
	dir := os.Getenv("ARTIFACTS")
	if dir == "" {
		dir = "../_artifacts" // tests run in their package's directory
	}
	// Ginkgo's command mistakes a package for a suite if it imports Ginkgo.
	var result ginkgo.GinkgoTestingT = t
	run.Suite(result, run.Parts{Cases: suites.All(), Requirements: requirements.All(), Parts: testbed.Parts{Agents: testbed.Sim{}, Companions: companions.All(), Clusters: providers.NewClusters(progress.New(os.Stderr))}}, run.Options{
		Config:     testbed.Config{Kubeconfig: *kubeconfig, Cluster: clusters.Config{Name: "dratest-suites", Keep: *keep}, Keep: *keep, ReportDir: dir, PodImage: *podImage, Out: os.Stderr},
		Disruptive: *disruptive, RestartNodes: *restarts,
		AssumeStock: strings.FieldsFunc(*assume, func(r rune) bool { return r == ',' }), Strict: *strict,
		Driver: reports.DriverOf(testbed.Sim{}.Driver()),
	})
}
