package suites_test

import (
	"flag"
	"os"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/runner"
	"github.com/dra-conformance/dratest/runner/standard"
	"github.com/dra-conformance/dratest/suites"
)

// Run with "go test ./suites -timeout 0" or "ginkgo -p ./suites", and Ginkgo's
// own flags; see runner.RunSuite.

var (
	kubeconfig = flag.String("kubeconfig", "", "use the cluster of this kubeconfig instead of making one; $KUBECONFIG is not looked at, so that no cluster is used by mistake")
	disruptive = flag.Bool("disruptive", false, "with -kubeconfig: run cases that restart kubelets, too")
	keep       = flag.Bool("keep", false, "keep the cluster, the test driver and the objects of failed cases")
	podImage   = flag.String("pod-image", "dratest.io/busybox:1", "image that the cases' pods run: a busybox")
)

func TestSuites(t *testing.T) {
	dir := os.Getenv("ARTIFACTS")
	if dir == "" {
		dir = "../_artifacts" // tests run in their package's folder
	}
	// Ginkgo's command takes a package for a suite of its own if it imports Ginkgo.
	var result ginkgo.GinkgoTestingT = t
	runner.RunSuite(result, runner.Parts{Cases: suites.All(), Agents: runner.Sim{}, Clusters: standard.NewClusters(progress.New(os.Stderr))}, runner.Options{
		Kubeconfig: *kubeconfig, Disruptive: *disruptive, Cluster: clusters.Config{Name: "dratest-suites", Keep: *keep}, Keep: *keep,
		ReportDir: dir, PodImage: *podImage, Driver: runner.Sim{}.Driver(), Out: os.Stderr,
	})
}
