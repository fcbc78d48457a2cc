package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// NoExcuse says why a known issue does not excuse what a case saw that used these nodes;
// empty if it does. A control plane that cannot be seen, as where somebody else runs
// it, counts as Kubernetes' own of the API server's version.
func NoExcuse(issue spec.KnownIssue, target spec.Target, nodes []string) string {
	switch issue.Component {
	case spec.Scheduler:
		return noExcuse(issue, "the scheduler", stockVersion(issue.Component, "kube-scheduler", target))
	case spec.Controllers:
		return noExcuse(issue, "the controller manager", stockVersion(issue.Component, "kube-controller-manager", target))
	}
	for _, node := range nodes {
		if why := noExcuse(issue, "the kubelet of "+node, stockKubelet(node, target)); why != "" {
			return why
		}
	}
	return ""
}

// noExcuse judges one component; without a version, it is not Kubernetes' own.
func noExcuse(issue spec.KnownIssue, who, running string) string {
	v, err := version.ParseGeneric(running)
	last := version.MustParseGeneric(issue.Through)
	switch {
	case running == "":
		return who + " is not Kubernetes' own, as far as can be seen"
	case err != nil:
		return fmt.Sprintf("the version %q of %s says nothing", running, who)
	case v.AtLeast(last.AddMinor(1)):
		return fmt.Sprintf("%s is %s, and that was last seen in %s", who, running, issue.Through)
	case issue.From != "" && v.LessThan(version.MustParseGeneric(issue.From)):
		return fmt.Sprintf("%s is %s, and that was first seen in %s", who, running, issue.From)
	}
	return ""
}

func stockVersion(component, pod string, target spec.Target) string {
	switch whose, seen := target.Stack[component]; {
	case !seen:
		return target.Kubernetes
	case whose != spec.StockComponent:
		return ""
	}
	return target.Components[pod]
}

func stockKubelet(node string, target spec.Target) string {
	i := slices.IndexFunc(target.Nodes, func(n spec.Node) bool { return n.Name == node })
	if i < 0 || strings.HasSuffix(target.Nodes[i].Kubelet, spec.OwnKubeletMark) {
		return ""
	}
	return target.Nodes[i].Kubelet
}
