// Command addversion adds a Kubernetes release to those that node images can be
// built of: it writes the release's module and its row of the table of versions, in
// the place of the row of the same minor version. "go run ./clusters/images/addversion" runs it.
package main

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Where things are, from the root of the repository.
const (
	modules = "clusters/images/modules/kubernetes-"
	table   = "clusters/versions/table.go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "add-version: say which, as in: go run ./clusters/images/addversion v1.38.0")
		os.Exit(2)
	}
	if err := add(context.Background(), ".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "add-version:", err)
		os.Exit(1)
	}
}

func add(ctx context.Context, root, version string) error {
	if semver.Prerelease(version) != "" {
		return fmt.Errorf("%s is no release: build it without adding it, with \"dratest images build --source %s\"", version, version)
	}
	dir, err := os.MkdirTemp("", "add-version-")
	if err != nil {
		return fmt.Errorf("make a work folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r, err := source.Fetch(ctx, version, dir)
	if err != nil {
		return err
	}
	rows, replaced := with(versions.All(), r.Version, defaults.Image)
	source, err := render(rows)
	if err != nil {
		return err
	}
	if replaced != "" && replaced != version {
		for _, end := range []string{".mod", ".sum"} {
			if err := os.Remove(filepath.Join(root, modules+replaced+end)); err != nil {
				return fmt.Errorf("remove the module of %s: %w", replaced, err)
			}
		}
	}
	for file, data := range map[string][]byte{modules + version + ".mod": r.Mod, modules + version + ".sum": r.Sum, table: source} {
		if err := os.WriteFile(filepath.Join(root, file), data, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
		fmt.Println(file)
	}
	return nil
}

// with is the table with a row added, newest first, and the version whose row it
// takes the place of. The published image is that of the row before, or kind's
// default if that is of the same minor version.
func with(rows []versions.Version, row versions.Version, kindImage string) (all []versions.Version, replaced string) {
	for _, old := range rows {
		if old.Minor() != row.Minor() {
			all = append(all, old)
			continue
		}
		replaced, row.Published, row.Digest = old.Kubernetes, old.Published, old.Digest
	}
	tag, digest, _ := strings.Cut(strings.TrimPrefix(kindImage, "kindest/node:"), "@")
	if row.Published == "" && semver.MajorMinor(tag) == row.Minor() {
		row.Published, row.Digest = tag, digest
	}
	all = append(all, row)
	slices.SortFunc(all, func(a, b versions.Version) int { return semver.Compare(b.Kubernetes, a.Kubernetes) })
	return all, replaced
}

// render is the table's source.
func render(rows []versions.Version) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("package versions\n\n// \"go run ./clusters/images/addversion\" writes this table.\n//\n//nolint:gochecknoglobals // a table\nvar table = []Version{ // newest first\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "{\nKubernetes: %q, Pause: %q, Etcd: %q, Built: %q,\n", r.Kubernetes, r.Pause, r.Etcd, r.Built)
		if r.Published != "" {
			fmt.Fprintf(&out, "Published: %q, Digest: %q,\n", r.Published, r.Digest)
		}
		out.WriteString("},\n")
	}
	out.WriteString("}\n")
	source, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("write the table of versions: %w", err)
	}
	return source, nil
}
