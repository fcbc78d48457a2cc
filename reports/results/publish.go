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
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Top is the directory of all reports in a repository.
const Top = "results"

// ErrUnfit: a report does not belong into a public repository.
var ErrUnfit = errors.New("it cannot be published")

// Folder is the directory of a report in a repository, named after its content: data is its
// conformance-report.yaml.
func Folder(data []byte, c schema.ConformanceReport) (string, error) {
	if c.Profile == nil {
		return "", fmt.Errorf("%w: no profile was judged", ErrUnfit)
	}
	for _, f := range c.AllFiles() {
		if engine := cmp.Or(c.Engine, schema.EngineRun); !expected(engine, f.Path) {
			return "", fmt.Errorf("%w: %q is no file of a report", ErrUnfit, f.Path)
		}
	}
	digest := sha256.Sum256(data)
	folder := Top
	for _, part := range []struct{ text, what string }{
		{c.Implementation.Project, "product (--project)"}, {c.Implementation.Version, "version of the product (--project-version)"},
		{c.Cluster.Kubernetes, "version of Kubernetes"},
	} {
		name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(part.text), "-"), "-.")
		if name == "" || len(name) > maxName {
			return "", fmt.Errorf("%w: %q makes no directory name for the %s", ErrUnfit, part.text, part.what)
		}
		folder = path.Join(folder, name)
	}
	return path.Join(folder, hex.EncodeToString(digest[:])[:digits]), nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9.+_]+`)

const (
	maxName = 100
	// digits of the digest name a report.
	digits = 16
)

// Publish copies the sealed files of a report, and its signatures, into a repository, and returns their
// directory. The report has been verified. Errors: ErrUnfit, and files that changed meanwhile.
func Publish(dir files.Dir, repo string) (folder string, err error) {
	data, err := dir.ReadFile(reports.ConformanceFile)
	if err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	c, err := schema.DecodeConformance(data)
	if err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if folder, err = Folder(data, c); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(repo)
	if err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if _, err := root.Lstat(folder); err == nil {
		// The name says that it is the same; it may have been signed since.
		return folder, copySignatures(dir, root, folder)
	}
	// A copy that is interrupted has another name, and is replaced by the next one.
	part := path.Join(path.Dir(folder), "."+path.Base(folder))
	if err := root.RemoveAll(part); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	for _, f := range c.AllFiles() {
		if err := copyFile(dir, root, part, f); err != nil {
			return "", fmt.Errorf("publish: %w", errors.Join(err, root.RemoveAll(part)))
		}
	}
	if err := copySignatures(dir, root, part); err != nil {
		return "", err
	}
	if err := write(root, path.Join(part, reports.ConformanceFile), data); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	if err := root.Rename(part, folder); err != nil {
		return "", fmt.Errorf("publish: %w", err)
	}
	return folder, nil
}

// signatures are the files with signatures of a conformance report.
func signatures() []string { return []string{reports.SignatureFile, reports.BundleFile} }

// expected reports whether a report of an engine has a file with this path.
func expected(engine schema.Engine, name string) bool {
	parts := strings.Split(name, "/")
	hidden := slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, ".") })
	return fs.ValidPath(name) && !hidden && (slices.Contains(reports.FilesOf(engine), name) || len(parts) > 1 && parts[0] == "cases")
}

// copySignatures adds the signatures that a directory lacks. Those that it has stay.
func copySignatures(dir files.Dir, root *os.Root, folder string) error {
	for _, name := range signatures() {
		to := path.Join(folder, name)
		if _, err := root.Lstat(to); err == nil {
			continue
		}
		signature, err := dir.ReadFile(name)
		if err == nil {
			err = write(root, to, signature)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// copyFile copies a file that has the digest of its report.
func copyFile(dir files.Dir, root *os.Root, folder string, f schema.File) (err error) {
	from, err := dir.Open(f.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	name := path.Join(folder, f.Path)
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, hash), from); err != nil {
		return fmt.Errorf("copy %s: %w", f.Path, err)
	}
	if hex.EncodeToString(hash.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("copy %s: it was changed", f.Path)
	}
	return nil
}

func write(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return root.WriteFile(name, data, 0o644)
}
