package run

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// running is a target with the software of a state in place of what was there at
// first: known issues are judged by what runs.
func running(target spec.Target, state path.State) spec.Target {
	target.Components, target.Stack, target.Nodes = map[string]string{}, map[string]string{}, slices.Clone(target.Nodes)
	for place, software := range state.Software {
		version, whose, mark := software.Version.String(), spec.StockComponent, ""
		if software.Own {
			whose, mark = spec.OwnComponent, spec.OwnKubeletMark
		}
		switch place.Component {
		case path.APIServer:
			target.Kubernetes = version
		case path.Scheduler:
			target.Stack[spec.Scheduler] = whose
		case path.ControllerManager:
			target.Stack[spec.Controllers] = whose
		case path.Kubelet:
			for i := range target.Nodes {
				if target.Nodes[i].Name == place.Node {
					target.Nodes[i].Kubelet = version + mark
				}
			}
			continue
		}
		target.Components[string(place.Component)] = version
	}
	return target
}
