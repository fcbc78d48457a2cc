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

package results

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// TableFile is the table of all reports, in Top.
const TableFile = "README.md"

// Compare sorts results by product, then the newest first.
func Compare(a, b Result) int {
	x, y := a.Report, b.Report
	return cmp.Or(
		cmp.Compare(strings.ToLower(x.Implementation.Project), strings.ToLower(y.Implementation.Project)),
		versions(y.Implementation.Version, x.Implementation.Version), versions(y.Cluster.Kubernetes, x.Cluster.Kubernetes),
		cmp.Compare(profileOf(x), profileOf(y)), y.Run.Ended.Compare(x.Run.Ended), cmp.Compare(a.Folder, b.Folder),
	)
}

// versions compares versions as numbers if both are made of numbers. Pre-releases come before their release.
func versions(a, b string) int {
	x, errX := parse(a)
	y, errY := parse(b)
	switch {
	case errX != nil || errY != nil:
		return cmp.Compare(a, b)
	case x.LessThan(y):
		return -1
	case y.LessThan(x):
		return 1
	default:
		return cmp.Compare(a, b)
	}
}

func parse(text string) (*version.Version, error) {
	if v, err := version.ParseSemantic(text); err == nil {
		return v, nil
	}
	return version.ParseGeneric(text)
}

func profileOf(c schema.ConformanceReport) string {
	if c.Profile == nil {
		return ""
	}
	return c.Profile.String()
}

// Markdown returns the table of reports. Links are relative to Top.
func Markdown(all []Result) []byte {
	var b strings.Builder
	b.WriteString("# DRA conformance results\n\n<!-- Generated with \"dratest report table\". -->\n\n" +
		"| product | version | Kubernetes | profile | verdict | date | report |\n|---|---|---|---|---|---|---|\n")
	for _, r := range all {
		c := r.Report
		verdict := string(c.Result)
		if c.Certificate != nil && !c.Certificate.Expires.IsZero() {
			verdict += ", until " + c.Certificate.Expires.UTC().Format(time.DateOnly)
		}
		for _, text := range []string{
			c.Implementation.Project, c.Implementation.Version, c.Cluster.Kubernetes, profileOf(c), verdict, c.Run.Ended.UTC().Format(time.DateOnly),
		} {
			fmt.Fprintf(&b, "| %s ", cell(text))
		}
		fmt.Fprintf(&b, "| [%s](%s/) |\n", cell(path.Base(r.Folder)), strings.TrimPrefix(r.Folder, Top+"/"))
	}
	return []byte(b.String())
}

// special are the characters that mean something in Markdown. GitHub makes links of "www.", too.
var special = regexp.MustCompile("[\\\\`*_{}\\[\\]<>()#!|~&@:]|(?i:www)[.]")

// cell is a text of anybody in a table: one line, without markup and links.
func cell(text string) string {
	return special.ReplaceAllStringFunc(strings.Join(strings.Fields(spec.Printable(text)), " "), func(s string) string {
		return s[:len(s)-1] + `\` + s[len(s)-1:]
	})
}

// WriteTable writes the table of a repository.
func WriteTable(repo string, table []byte) (err error) {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := write(root, path.Join(Top, TableFile), table); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
