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

// arrows says which of our packages a folder may import; a folder inherits the
// row with the longest matching prefix. Rows end in "/" or name one folder.
var arrows = map[string][]string{
	"framework/spec":           {},
	"framework/":               {"framework/"},
	"framework/testbed":        {"framework/", "clusters", "clusters/", "drivers/"},
	"clusters/":                {"clusters", "clusters/", "framework/spec"},
	"drivers/":                 {"drivers/", "framework/spec"},
	"suites/":                  {"suites/", "framework/spec", "framework/harness", "framework/objects", "framework/matchers", "drivers/profiles"},
	"suites/run/":              {"suites/run/", "suites/requirements", "framework/", "clusters", "clusters/", "reports", "reports/"},
	"suites/run/job/":          {"suites/run", "framework/", "reports"},
	"suites/certify/":          {"suites/certify", "suites/run", "framework/", "drivers/declarations", "reports", "reports/schema"},
	"suites/soak/":             {"suites/soak", "suites/soak/", "framework/", "clusters", "clusters/", "reports"},
	"suites/soak/crash/":       {},
	"suites/perf/":             {"suites/perf", "framework/", "clusters", "clusters/", "reports", "reports/schema"},
	"suites/prove/":            {"reports", "reports/schema"},
	"suites/prove/kills/":      {"suites/prove", "suites/run", "framework/", "clusters", "reports/schema"},
	"suites/prove/mutants/":    {"suites/prove", "suites/prove/apiserver", "suites/prove/components", "suites/prove/kills", "suites/run", "framework/", "reports/schema"},
	"suites/prove/apiserver/":  {"suites/prove", "suites/prove/components", "suites/prove/front", "suites/prove/kills", "framework/", "clusters", "reports/schema"},
	"suites/prove/components/": {"suites/prove", "suites/prove/kills", "suites/run", "framework/", "clusters", "reports/schema"},
	"suites/vendortest/":       {"suites", "suites/certify", "suites/run", "suites/sanity", "framework/", "drivers/cdidir", "drivers/declarations", "reports"},
	"suites/sanity/":           {"framework/spec", "framework/pools", "drivers/cdidir", "drivers/registration", "drivers/nodefile"},
	"suites/prove/access/":     {"suites/prove", "suites/prove/front", "suites/run", "suites/run/job", "clusters", "framework/", "reports/schema"},
	"suites/prove/bugs/":       {"suites/prove", "suites/sanity", "drivers/sim/bugs", "clusters", "framework/"},
	"suites/prove/life/":       {"suites/prove", "suites/certify", "suites/run", "drivers/declarations", "drivers/sim/bugs", "clusters", "framework/"},
	"suites/prove/thresholds/": {"suites/prove", "suites/perf", "clusters"},
	"suites/prove/spoils/":     {"suites/prove", "suites/soak", "suites/soak/faults", "framework/"},
	"reports/":                 {"reports", "reports/", "framework/spec"},
	"upgrade/":                 {"upgrade/", "suites/requirements", "framework/", "clusters", "clusters/", "drivers/", "reports", "reports/"},
	"upgrade/path/":            {"framework/spec"},
	"upgrade/prove/":           {"upgrade/run", "upgrade/path", "suites/prove", "suites/run", "framework/", "clusters", "clusters/", "reports/schema"},
	"cmd/bench-node/":          {"framework/", "clusters", "clusters/", "drivers/"},
	"cmd/bench-prebind/":       {"framework/", "clusters", "clusters/"},
	"cmd/bench-fabric/":        {"framework/", "clusters", "clusters/", "drivers/fabric"},
	"cmd/bench-classic/":       {"framework/", "clusters", "clusters/"},
	"cmd/race-fabric/":         {"framework/", "clusters", "clusters/", "drivers/fabric"},
	"cmd/compare-kubelets/":    {"framework/", "clusters", "clusters/", "drivers/"},
	"cmd/dratest/":             {""},
	"cmd/dra-fabric/":          {"drivers/fabric"},
	"cmd/dra-sim/":             {"drivers/", "framework/spec"},
	"cmd/dratest-oci-runtime/": {"clusters/host/capability"},
	"cmd/dratest-crash/":       {"suites/soak/crash"},

	// The implementation is a module of its own: the core, then what uses it.
	"implementation/inventory/":         {},
	"implementation/state/":             {"implementation/inventory"},
	"implementation/celeval/":           {"implementation/inventory"},
	"implementation/allocator/":         {"implementation/inventory", "implementation/state"},
	"implementation/claimplan/":         {},
	"implementation/evictplan/":         {},
	"implementation/fabricplan/":        {"implementation/fabricplan"},
	"implementation/nodeplan/":          {},
	"implementation/classic/api/":       {},
	"implementation/classicplan/":       {"implementation/classic/api/v1alpha1"},
	"implementation/classic/":           {"implementation/classic/", "implementation/classicplan", "implementation/claimplan", "implementation/controllers/"},
	"implementation/classic/scheduler/": {"implementation/classic/", "implementation/classicplan", "implementation/controllers/", "implementation/scheduler", "implementation/scheduler/"},
	"implementation/scheduler/":         {"implementation/scheduler/", "implementation/inventory", "implementation/state", "implementation/celeval", "implementation/allocator"},
	"implementation/dramanager/":        {"implementation/state", "implementation/evictplan"},
	"implementation/simulation/":        {"implementation/scheduler", "implementation/dramanager"},
	"implementation/controllers/":       {"implementation/controllers/", "implementation/claimplan", "implementation/evictplan", "implementation/fabricplan"},
	"implementation/kubelet/":           {"implementation/kubelet/", "implementation/nodeplan"},
	"implementation/difftest/":          {"implementation/"},
	"implementation/bench/":             {"implementation/"},
	"implementation/cmd/":               {"implementation/"},
}

// modules are those of the tree that are held to the same rules.
var modules = []string{".", "implementation", "implementation/bench/karpenter"}

type file struct {
	name    string // relative to the root, with slashes
	content []byte
}

func (f file) folder() string { return path.Dir(f.name) }

func goFiles(t *testing.T) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			// What is below other modules is not ours.
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

func allowed(folder, imported string) bool {
	best := ""
	for prefix := range arrows {
		if strings.HasPrefix(folder+"/", strings.TrimSuffix(prefix, "/")+"/") && len(prefix) > len(best) {
			best = prefix
		}
	}
	return best != "" && slices.ContainsFunc(arrows[best], func(a string) bool {
		return a == imported || a == "" || strings.HasSuffix(a, "/") && strings.HasPrefix(imported, a)
	})
}

func TestImportArrows(t *testing.T) {
	for _, f := range goFiles(t) {
		// A test may wire its package to whatever it is tested with.
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
		if n := bytes.Count(f.content, []byte("\n")); n > maxLines {
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
		if n := bytes.Count(files[i].content, []byte("\n")); n > 26 {
			t.Errorf("%s has %d lines: say it in 25", doc, n)
		}
	}
}

// TestExampleNeedsNoKubernetes: vendors import suites/vendortest, and must not get all of
// Kubernetes with it (clusters/images/adr/0001).
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
