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
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/requirements"
)

// Run with "go test ./suites -timeout 0" or "ginkgo -p ./suites", and Ginkgo's
// own flags; see run.Suite.

var (
	kubeconfig = flag.String("kubeconfig", "", "use the cluster of this kubeconfig instead of making one; $KUBECONFIG is not looked at, so that no cluster is used by mistake")
	disruptive = flag.Bool("disruptive", false, "with -kubeconfig: run cases that restart kubelets, too")
	restarts   = flag.Bool("restart-nodes", false, "with -kubeconfig: run cases that restart a worker or a node of the control plane, too")
	assume     = flag.String("assume-stock", "", "components that are Kubernetes' own although that cannot be seen, as in scheduler,controllers")
	strict     = flag.Bool("strict", false, "count known issues of Kubernetes as failures")
	keep       = flag.Bool("keep", false, "keep the cluster, the test driver and the objects of failed cases")
	podImage   = flag.String("pod-image", "dra-conformance.github.io/busybox:1", "image that the cases' pods run: a busybox")
)

func TestSuites(t *testing.T) {
	dir := os.Getenv("ARTIFACTS")
	if dir == "" {
		dir = "../_artifacts" // tests run in their package's folder
	}
	// Ginkgo's command takes a package for a suite of its own if it imports Ginkgo.
	var result ginkgo.GinkgoTestingT = t
	run.Suite(result, run.Parts{Cases: suites.All(), Requirements: requirements.All(), Parts: testbed.Parts{Agents: testbed.Sim{}, Clusters: providers.NewClusters(progress.New(os.Stderr))}}, run.Options{
		Kubeconfig: *kubeconfig, Disruptive: *disruptive, RestartNodes: *restarts, Cluster: clusters.Config{Name: "dratest-suites", Keep: *keep}, Keep: *keep,
		AssumeStock: strings.FieldsFunc(*assume, func(r rune) bool { return r == ',' }), Strict: *strict,
		ReportDir: dir, PodImage: *podImage, Driver: reports.DriverOf(testbed.Sim{}.Driver()), Out: os.Stderr,
	})
}
