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

package dratest_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module   = "github.com/dra-conformance/dratest"
	root     = "."
	maxLines = 500
)

// base has the framework packages below engines and cases, without clusters or drivers.
var base = []string{
	"framework/spec", "framework/agentapi", "framework/audit", "framework/chart", "framework/follow", "framework/harness/", "framework/issues", "framework/kube", "framework/limit", "framework/matchers", "framework/metrics",
	"framework/objects", "framework/outage", "framework/plan", "framework/pools", "framework/timeline",
}

// engines has the imports of engines beside base.
var engines = slices.Concat(base, []string{"framework/monitor", "framework/probe", "framework/testbed/", "clusters", "clusters/progress/", "reports", "reports/files", "reports/schema"})

// provers has the imports of provers beside engines.
var provers = slices.Concat(engines, []string{"framework/prove/", "framework/run", "framework/run/job"})

func and(set []string, more ...string) []string { return slices.Concat(set, more) }

// arrows lists the allowed imports of our own packages, by directory. The longest matching row
// applies. Entries ending in "/" match a tree, others one directory. Only cmd/dratest may import
// everything.
var arrows = map[string][]string{
	"framework/spec":              {},
	"framework/agentapi":          {"framework/spec"},
	"framework/":                  base,
	"framework/issues":            {"framework/spec"},
	"framework/issues/review/":    and(base, "reports/schema"),
	"framework/problem/":          {"framework/problem/"},
	"framework/gather/":           {"framework/audit"},
	"framework/limit":             {},
	"framework/kube":              {"framework/limit"},
	"framework/testbed/":          and(base, "framework/probe", "reports", "framework/testbed/", "clusters", "clusters/progress", "drivers/sim/client", "drivers/sim/deploy"),
	"framework/testbed/doctor/":   and(base, "framework/probe", "framework/testbed/", "clusters/host"),
	"framework/companions/":       and(engines, "framework/companions/", "framework/perf", "framework/soak", "framework/soak/faults", "framework/soak/load", "clusters/images", "drivers/fabric"),
	"framework/run/":              and(engines, "framework/run/", "clusters/command", "reports/expectations", "reports/matrix", "reports/profile", "reports/sign"),
	"framework/run/job/":          {"framework/kube", "framework/limit", "framework/run", "framework/testbed/access", "reports"},
	"framework/explore/":          and(engines, "framework/problem/"),
	"framework/certify/":          and(engines, "framework/run", "clusters/command", "drivers/declarations", "clusters/versions", "reports/matrix"),
	"framework/soak/":             and(engines, "framework/soak/"),
	"framework/soak/crash/":       {},
	"framework/kubelets/":         engines,
	"framework/perf/":             and(engines, "framework/perf"),
	"framework/prove/":            provers,
	"framework/prove/combined/":   and(provers, "framework/explore"),
	"framework/prove/checks/":     and(provers, "drivers/sim/mutants"),
	"framework/prove/lifecycle/":  and(provers, "framework/certify", "drivers/declarations", "drivers/sim/mutants"),
	"framework/prove/soaks/":      and(provers, "framework/soak", "framework/soak/faults"),
	"framework/prove/thresholds/": and(provers, "framework/perf"),
	"framework/prove/mutants/":    and(provers, "clusters/command", "clusters/images/own"),
	"framework/prove/upgrades/":   and(provers, "upgrade/path", "upgrade/run"),

	"suites/":              {"framework/spec", "framework/issues", "framework/harness/", "framework/objects", "framework/matchers", "drivers/profiles"},
	"suites":               {"suites/", "framework/spec", "framework/harness"},
	"suites/sanity/":       {"framework/spec", "framework/pools", "drivers/nodefiles"},
	"suites/catalogue/":    {"framework/spec", "framework/prove/"},
	"suites/requirements/": {"framework/spec"},
	"suites/vendortest/":   {"suites", "suites/sanity", "suites/requirements", "framework/certify", "framework/run", "framework/spec", "framework/testbed", "drivers/nodefiles", "drivers/declarations", "reports"},

	"clusters/":       {"clusters/", "framework/spec", "framework/kube", "framework/limit"},
	"drivers/":        {"drivers/", "framework/spec", "framework/limit"},
	"drivers/sim/":    {"drivers/", "framework/spec", "framework/agentapi", "framework/kube", "framework/limit"},
	"reports/":        {"reports/", "framework/spec"},
	"upgrade/cases/":  and(base, "upgrade/path", "drivers/profiles"),
	"upgrade/change/": {"framework/spec", "framework/kube", "clusters", "clusters/staticpod", "upgrade/path"},
	"upgrade/matrix/": and(engines, "framework/prove", "framework/run", "upgrade/path", "upgrade/run"),
	"upgrade/path/":   {"framework/spec"},
	"upgrade/run/":    and(engines, "reports/expectations", "reports/sign", "upgrade/cases", "upgrade/change", "upgrade/path", "clusters/versions"),

	"cmd/dratest/":             {""},
	"cmd/dra-fabric/":          {"drivers/fabric"},
	"cmd/dra-sim/":             {"drivers/", "framework/spec", "framework/agentapi"},
	"cmd/dratest-oci-runtime/": {"clusters/host/capability"},
	"cmd/dratest-crash/":       {"framework/soak/crash"},

	// Comparisons of the implementation are modules of their own.
	"difftest/":                       {"difftest/", "framework/problem/", "implementation/inventory", "implementation/state", "implementation/celeval", "implementation/allocator"},
	"implementation/bench/karpenter/": {"implementation/bench/", "difftest", "framework/problem/", "implementation/simulation"},

	// The implementation is a module of its own: the core, then what uses it.
	"implementation/inventory/":           {},
	"implementation/state/":               {"implementation/inventory"},
	"implementation/celeval/":             {"implementation/inventory"},
	"implementation/allocator/":           {"implementation/inventory", "implementation/state"},
	"implementation/claimplan/":           {},
	"implementation/evictplan/":           {},
	"implementation/fabricplan/":          {"implementation/fabricplan"},
	"implementation/limit/":               {},
	"implementation/nodeplan/":            {},
	"implementation/classic/api/":         {},
	"implementation/classic/classicplan/": {"implementation/classic/api/v1alpha1"},
	"implementation/classic/":             {"implementation/classic/", "implementation/claimplan", "implementation/controllers/"},
	"implementation/classic/scheduler/":   {"implementation/classic/", "implementation/controllers/", "implementation/scheduler/"},
	"implementation/scheduler/":           {"implementation/scheduler/", "implementation/inventory", "implementation/state", "implementation/celeval", "implementation/allocator"},
	"implementation/dramanager/":          {"implementation/state", "implementation/evictplan"},
	"implementation/simulation/":          {"implementation/scheduler", "implementation/dramanager"},
	"implementation/controllers/":         {"implementation/controllers/", "implementation/claimplan", "implementation/evictplan", "implementation/fabricplan", "implementation/limit"},
	"implementation/kubelet/":             {"implementation/kubelet/", "implementation/limit", "implementation/nodeplan"},
	"implementation/bench/":               {"implementation/bench/", "implementation/simulation", "implementation/inventory", "implementation/celeval", "implementation/allocator"},

	"implementation/cmd/bench-scheduler/":           {"implementation/bench/schedulerperf", "implementation/cmd/dra-scheduler/plugin"},
	"implementation/cmd/dra-classic-driver/":        {"implementation/classic/"},
	"implementation/cmd/dra-composable-controller/": {"implementation/cmd/dra-controller-manager/app", "implementation/controllers/composable", "implementation/fabricplan"},
	"implementation/cmd/dra-controller-manager/":    {"implementation/cmd/dra-controller-manager/app", "implementation/controllers/resourceclaim", "implementation/controllers/tainteviction"},
	"implementation/cmd/dra-kubelet/":               {"implementation/cmd/dra-kubelet/", "implementation/kubelet", "implementation/nodeplan"},
	"implementation/cmd/dra-scheduler/":             {"implementation/cmd/dra-scheduler/plugin", "implementation/scheduler", "implementation/inventory", "implementation/classic/scheduler"},
	"implementation/cmd/dra-whatif/":                {"implementation/cmd/dra-whatif/app", "implementation/cmd/dra-scheduler/plugin", "implementation/limit", "implementation/simulation"},
}

// modules are the Go modules checked by these rules.
var modules = []string{".", "difftest", "implementation", "implementation/bench/karpenter"}

type file struct {
	name    string // relative to the root, with slashes
	content []byte
}

func (f file) folder() string { return path.Dir(f.name) }

// lines counts the lines without the license header.
func (f file) lines() int {
	return bytes.Count(bytes.Replace(f.content, []byte(license), nil, 1), []byte("\n"))
}

func goFiles(t *testing.T) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			// Other modules are walked separately.
			_, modErr := os.Stat(filepath.Join(p, "go.mod"))
			if !slices.Contains(modules, filepath.ToSlash(rel)) && (modErr == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || strings.HasPrefix(d.Name(), "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(p) != ".go" {
			return nil
		}
		content, err := os.ReadFile(p)
		files = append(files, file{filepath.ToSlash(rel), content})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// below reports whether an entry of a row matches the directory.
func below(entry, folder string) bool {
	return entry == folder || strings.HasSuffix(entry, "/") && strings.HasPrefix(folder+"/", entry)
}

func allowed(folder, imported string) bool {
	best, row := "", []string(nil)
	for entry, imports := range arrows {
		if below(entry, folder) && (len(entry) > len(best) || entry == folder) && best != folder {
			best, row = entry, imports
		}
	}
	return slices.ContainsFunc(row, func(entry string) bool { return entry == "" || below(entry, imported) })
}

func TestImportArrows(t *testing.T) {
	for _, f := range goFiles(t) {
		// Tests may import anything.
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.name, f.content, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			ours, found := strings.CutPrefix(imported, module+"/")
			if found && !allowed(f.folder(), ours) {
				t.Errorf("%s must not import %s (ARCHITECTURE.md, arrows)", f.name, ours)
			}
		}
	}
}

func TestFilesStayShort(t *testing.T) {
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.name, ".pb.go") {
			continue // generated
		}
		if n := f.lines(); n > maxLines {
			t.Errorf("%s has %d lines, more than %d: split it by idea", f.name, n, maxLines)
		}
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	files := goFiles(t)
	for _, f := range files {
		if strings.HasSuffix(f.name, "_test.go") || strings.HasPrefix(f.name, "cmd/") || strings.HasPrefix(f.name, "implementation/cmd/") || bytes.Contains(f.content, []byte("\npackage main\n")) {
			continue
		}
		doc := f.folder() + "/doc.go"
		i := slices.IndexFunc(files, func(g file) bool { return g.name == doc })
		if i < 0 {
			t.Errorf("%s is missing", doc)
			continue
		}
		if n := files[i].lines(); n > 26 {
			t.Errorf("%s has %d lines: say it in 25", doc, n)
		}
	}
}

// TestExampleNeedsNoKubernetes: importing suites/vendortest must not add k8s.io/kubernetes to a
// vendor's module (docs/adr/0001).
func TestExampleNeedsNoKubernetes(t *testing.T) {
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join("examples", "vendor", name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "k8s.io/kubernetes ") {
			t.Errorf("examples/vendor/%s names k8s.io/kubernetes", name)
		}
	}
}
