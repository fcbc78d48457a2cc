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

package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters/host"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// role is where the rights come from.
const role = "the ClusterRole printed by `dratest manifests`"

// judge turns facts into the rows of the table, in a fixed order.
func judge(f facts) []host.Row {
	rows := []host.Row{
		{Name: "Kubernetes", State: host.OK, Found: f.target.String() + " at " + f.target.Server},
		judgeUsable(f),
		judgeWorkers(f),
		judgeRights(f),
		judgeDisruptive(f),
		judgeGates("feature gates", f.target.Gates, f.target.GatesUnseen,
			"cases of optional features are skipped; grant the account get on /metrics"),
		judgeGates("scheduler gates", f.target.SchedulerGates, f.target.SchedulerGatesUnseen,
			"cases of the scheduler's optional features are skipped, as on managed control planes"),
		judgeComponents(f),
		judgeImages(f),
	}
	drivers := "none: cases bring their own"
	if len(f.drivers) > 0 {
		drivers = strings.Join(f.drivers, ", ")
	}
	return append(rows, host.Row{Name: "drivers", State: host.OK, Found: drivers})
}

func judgeUsable(f facts) host.Row {
	row := host.Row{Name: "DRA", State: host.OK, Found: "resource.k8s.io " + strings.Join(f.target.ResourceAPIs, ", ")}
	if f.unusable != nil {
		row.State, row.Found = host.Missing, strings.ReplaceAll(f.unusable.Error(), "\n", "; ")
		row.Advice = "no case can run until this is fixed"
	}
	return row
}

func judgeWorkers(f facts) host.Row {
	workers := f.target.Workers()
	row := host.Row{Name: "nodes", State: host.OK, Found: fmt.Sprintf("%d, of which %d can run pods of cases", len(f.target.Nodes), len(workers))}
	if len(f.target.Nodes) == 1 {
		row.Found = fmt.Sprintf("1, of which %d can run pods of cases", len(workers))
	}
	var why []string
	for _, name := range slices.Sorted(maps.Keys(f.leftOut)) {
		why = append(why, name+": "+f.leftOut[name])
	}
	if len(why) > 0 {
		row.Found += " (" + few(why, "; ") + ")"
	}
	if len(workers) < 2 {
		row.State, row.Advice = host.Warning, "cases that need two nodes are skipped; --pod-template with tolerations adds tainted nodes"
	}
	return row
}

func judgeRights(f facts) host.Row {
	if len(f.lacks) == 0 {
		return host.Row{Name: "rights", State: host.OK, Found: "all that a run needs"}
	}
	return host.Row{Name: "rights", State: host.Missing, Found: lacking(f.lacks), Advice: "give the account " + role}
}

func judgeDisruptive(f facts) host.Row {
	if len(f.lacksDisruptive) == 0 {
		return host.Row{Name: "rights of --disruptive", State: host.OK, Found: "all"}
	}
	return host.Row{Name: "rights of --disruptive", State: host.Warning, Found: lacking(f.lacksDisruptive),
		Advice: "for --disruptive, give the account the ClusterRole printed by `dratest manifests -- --disruptive`"}
}

func lacking(rights []access.Right) string {
	var names []string
	for _, r := range rights {
		names = append(names, r.String())
	}
	return fmt.Sprintf("lacks %d: %s", len(rights), few(names, ", "))
}

func judgeGates(name string, gates map[spec.Feature]bool, unseen, advice string) host.Row {
	if unseen != "" {
		return host.Row{Name: name, State: host.Warning, Found: "unknown: " + unseen, Advice: advice}
	}
	on := 0
	for _, enabled := range gates {
		if enabled {
			on++
		}
	}
	return host.Row{Name: name, State: host.OK, Found: fmt.Sprintf("%d of %d known DRA gates are enabled", on, len(gates))}
}

// judgeComponents is about known issues, which apply only to identified components.
func judgeComponents(f facts) host.Row {
	row := host.Row{Name: "components", State: host.OK, Found: "scheduler and controllers identified"}
	var unseen []string
	for _, name := range []string{spec.Controllers, spec.Scheduler} {
		of := f.target.ComponentsOf(name)
		if len(of) == 0 || slices.ContainsFunc(of, func(c spec.Component) bool { return c.Whose == spec.Other && c.Basis != spec.Claimed }) {
			unseen = append(unseen, name)
		}
	}
	if len(unseen) > 0 {
		row.State, row.Found = host.Warning, "not identified: "+strings.Join(unseen, ", ")
		row.Advice = "known issues of Kubernetes are reported as failures; if the builds are upstream's, use --assume-stock=" + strings.Join(unseen, ",")
	}
	return row
}

func judgeImages(f facts) host.Row {
	var pulls []string
	for _, image := range slices.Sorted(maps.Keys(f.pulled)) {
		if n := len(f.pulled[image]); n > 0 {
			pulls = append(pulls, fmt.Sprintf("%s (%d of %d nodes)", image, n, len(f.target.Workers())))
		}
	}
	if len(pulls) == 0 {
		return host.Row{Name: "images", State: host.OK, Found: "on all nodes"}
	}
	return host.Row{Name: "images", State: host.Warning, Found: "to be pulled: " + strings.Join(pulls, ", "),
		Advice: "nodes must be able to pull them; use --image-registry to pull from a mirror"}
}

// few joins the first three texts.
func few(texts []string, separator string) string {
	const most = 3
	if len(texts) <= most {
		return strings.Join(texts, separator)
	}
	return fmt.Sprintf("%s%s%d more", strings.Join(texts[:most], separator), separator, len(texts)-most)
}
