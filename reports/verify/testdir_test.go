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

package verify_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
)

// run is the report directory of a real run with --strict and one failed case. Its evidence lacks
// component logs.
const run = "../testdata/run"

var rewrite = flag.Bool("rewrite", false, "make the report of the test data anew from its outcomes")

func TestMain(m *testing.M) {
	flag.Parse()
	if *rewrite {
		if err := remake(run); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// known returns the suite and build of this run.
func known(t *testing.T) verify.Rules {
	t.Helper()
	return rulesOf(conformance(t, run))
}

func rulesOf(c schema.ConformanceReport) verify.Rules {
	return verify.Rules{Required: listOf(c), Versions: []profile.Version{{Version: "v1", Lists: map[schema.Engine]string{schema.EngineRun: c.Suite.RequiredCases}}}, Build: c.Suite.Suite}
}

func listOf(c schema.ConformanceReport) []schema.RequiredCase {
	var list []schema.RequiredCase
	for _, each := range c.Cases {
		list = append(list, each.RequiredCase)
	}
	return list
}

func conformance(t *testing.T, dir string) schema.ConformanceReport {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, reports.ConformanceFile))
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.DecodeConformance(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// copied returns a copy of the run's directory.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replace replaces all occurrences of a text in a file of a report directory.
func replace(t *testing.T, dir, name, old, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s has not %q", name, old)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(old), []byte(text)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// edit changes the conformance report.
func edit(t *testing.T, dir string, change func(*schema.ConformanceReport)) {
	t.Helper()
	c := conformance(t, dir)
	change(&c)
	write(t, dir, c)
}

// reseal changes report.json and regenerates all derived files except outcomes.jsonl and e2e.log.
func reseal(t *testing.T, dir string, change func(*schema.Report)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, reports.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	r, err := schema.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	change(&r)
	if data, err = schema.Encode(r); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, reports.JSONFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := remake(dir); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir string, c schema.ConformanceReport) {
	t.Helper()
	data, err := schema.EncodeConformance(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, reports.ConformanceFile), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// redigest forges a report: it updates all digests and drops missing files from the lists.
func redigest(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, reports.ConformanceFile))
	if err != nil {
		return err
	}
	c, err := schema.DecodeConformance(data)
	if err != nil {
		return err
	}
	c.Files = again(dir, c.Files)
	for i := range c.Cases {
		c.Cases[i].Evidence = again(dir, c.Cases[i].Evidence)
	}
	c.Suite.RequiredCases = schema.RequiredDigest(listOf(c))
	if data, err = schema.EncodeConformance(c); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, reports.ConformanceFile), data, 0o644)
}

// remake regenerates all files derived from report.json and the journal, as after a change of the
// rendering code.
func remake(dir string) error {
	if err := redigest(dir); err != nil {
		return err
	}
	var files [3][]byte
	for i, name := range []string{reports.ConformanceFile, reports.JSONFile, reports.JournalFile} {
		var err error
		if files[i], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	c, err := schema.DecodeConformance(files[0])
	if err != nil {
		return err
	}
	r, err := schema.Decode(files[1])
	if err != nil {
		return err
	}
	list := listOf(c)
	var p schema.RunProfile
	if r.Profile = nil; c.Profile != nil {
		p = schema.RunProfile{Name: c.Profile.Name, Version: c.Profile.Version, Required: len(profile.Required(c.Profile.Name, list))}
	}
	r = reports.Judge(r, p, list)
	if err := reports.Write(dir, r); err != nil {
		return err
	}
	var outcomes []spec.Outcome
	for line := range bytes.Lines(files[2]) {
		var p spec.Progress
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		if p.Outcome != nil {
			outcomes = append(outcomes, *p.Outcome)
		}
	}
	_, err = reports.Seal(dir, r, outcomes, reports.Facts{
		Implementation: c.Implementation, Command: c.Run.Command, Binary: c.Suite.Binary, Required: list,
	})
	return err
}

func again(dir string, files []schema.File) []schema.File {
	var found []schema.File
	for _, f := range files {
		if got, err := reports.Digest(os.DirFS(dir), f.Path); err == nil {
			found = append(found, got)
		}
	}
	return found
}

// reasons returns the reasons for rejecting a directory's report.
func reasons(t *testing.T, dir fs.FS, known verify.Rules) string {
	t.Helper()
	_, why, err := verify.Directory(dir, map[schema.Engine]verify.Rules{schema.EngineRun: known})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(why, "\n")
}
