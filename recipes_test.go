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
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestRecipesNameFiles: the files that the recipes of CONTRIBUTING.md name exist. Words in
// capitals stand for names, v1.38.0 for a version.
func TestRecipesNameFiles(t *testing.T) {
	content, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, recipes, _ := strings.Cut(string(content), "\n## Recipes\n")
	recipes, _, _ = strings.Cut(recipes, "\n## ")
	files := regexp.MustCompile("`([a-z]+/[A-Za-z0-9_./-]+)`").FindAllStringSubmatch(recipes, -1)
	if len(files) < 20 {
		t.Fatalf("found %d files in the recipes of CONTRIBUTING.md: %q", len(files), files)
	}
	for _, file := range files {
		pattern := regexp.MustCompile(`[A-Z]{2,}|1\.38\.0`).ReplaceAllString(file[1], "*")
		if found, err := filepath.Glob(pattern); err != nil || len(found) == 0 {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", file[1])
		}
	}
}

// TestRecipesSuffice tries two recipes of CONTRIBUTING.md in an overlay: an inventory of the test
// driver, and a case that needs it. With the files that they name everything compiles.
func TestRecipesSuffice(t *testing.T) {
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	edit := func(name string, change func(string) string) {
		t.Helper()
		old, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		absolute, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		text := change(string(old))
		if text == string(old) {
			t.Fatalf("nothing was changed in %s", name)
		}
		overlay.Replace[absolute] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(overlay.Replace[absolute], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit("drivers/profiles/profiles.go", func(old string) string {
		return old + "\n// OfRecipe is a device.\nfunc OfRecipe() spec.Profile { return plain(\"of-recipe\", 1) }\n"
	})
	edit("suites/api/of_recipe.go", func(string) string {
		return `package api

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OfRecipe does nothing.
var OfRecipe = harness.Case{Meta: spec.Meta{
	ID:       "api/of-recipe",
	Checks:   "The recipe of a case is complete.",
	Requires: []spec.RequirementID{"kep-4381/quota-by-class"},
	Needs:    spec.Needs{NoKubelet: true, Profile: profiles.OfRecipe()},
}, Run: func(t *harness.T) { t.Step("look at %s", t.Namespace) }}
`
	})
	edit("suites/api/cases.go", func(old string) string {
		return strings.Replace(old, "return []harness.Case{\n", "return []harness.Case{\n\t\tOfRecipe,\n", 1)
	})
	content, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"build", "-overlay", file}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		arguments = append(arguments, "-race") // What is compiled already is.
	}
	if out, err := exec.CommandContext(t.Context(), "go", append(arguments, "./suites/api")...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
