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

package reports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/schema"
)

// File names of a report directory.
const (
	// ConformanceFile is the conformance report.
	ConformanceFile = "conformance-report.yaml"
	// SignatureFile is the signature of ConformanceFile.
	SignatureFile = "conformance-report.intoto.json"
	// BundleFile is its keyless signature, a Sigstore bundle.
	BundleFile = "conformance-report.sigstore.json"
	// UpgradeFile is the record of an upgrade, UpgradeTableFile its table, UpgradeFolder has the component
	// versions after each step.
	UpgradeFile      = "upgrade.json"
	UpgradeTableFile = "upgrade.md"
	UpgradeFolder    = "steps"
	// LoadFolder has the results of a certification's profile load.
	LoadFolder = "load"
	// JournalFile records events as they happen, LogFile is Ginkgo's output.
	JournalFile = "outcomes.jsonl"
	LogFile     = "e2e.log"
)

// FilesOf returns the files of an engine except evidence. A run without cases has neither log nor
// journal.
func FilesOf(engine schema.Engine) []string {
	files := map[schema.Engine][]string{
		schema.EngineRun:     {LogFile, JournalFile},
		schema.EngineCertify: {LogFile, JournalFile, DeclarationFile, CertificateFile},
		schema.EngineSanity:  {JournalFile},
		schema.EngineUpgrade: {UpgradeFile, UpgradeTableFile},
	}
	return append(files[engine], reportFiles()...)
}

// FolderOf returns the directory of an engine besides evidence; empty for most.
func FolderOf(engine schema.Engine) string {
	switch engine {
	case schema.EngineUpgrade:
		return UpgradeFolder
	case schema.EngineCertify:
		return LoadFolder
	default:
		return ""
	}
}

// RemoveEnd removes the files written at the end of an earlier run, so that none is mistaken for a new one.
func RemoveEnd(dir string) error {
	for _, name := range append(reportFiles(), DeclarationFile, CertificateFile, ConformanceFile, SignatureFile, BundleFile) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the report of an earlier run: %w", err)
		}
	}
	return nil
}

// Seal writes the conformance report of a run with the digests of the other files in dir. It sets the
// Files of the facts.
func Seal(dir string, r schema.Report, outcomes []spec.Outcome, f Facts) (schema.ConformanceReport, error) {
	opened, err := files.Open(dir)
	if err == nil {
		f.Files, err = Digests(opened, f.Engine, r)
		err = errors.Join(err, opened.Close())
	}
	if err != nil {
		return schema.ConformanceReport{}, fmt.Errorf("write conformance report: %w", err)
	}
	c := Conformance(r, outcomes, f)
	data, err := schema.EncodeConformance(c)
	if err != nil {
		return c, err
	}
	if err := renameio.WriteFile(filepath.Join(dir, ConformanceFile), data, 0o644); err != nil {
		return c, fmt.Errorf("write conformance report: %w", err)
	}
	return c, nil
}

// Digests returns the digests of an engine's existing files (FilesOf), and of all evidence and
// timelines of cases.
func Digests(dir fs.FS, engine schema.Engine, r schema.Report) ([]schema.File, error) {
	var found []schema.File
	add := func(name string) error {
		f, err := Digest(dir, name)
		if err == nil {
			found = append(found, f)
		}
		return err
	}
	for _, name := range FilesOf(cmp.Or(engine, schema.EngineRun)) {
		if err := add(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for _, c := range r.Cases {
		if c.Timeline != "" && fs.ValidPath(c.Timeline) && !within(c.Evidence, c.Timeline) {
			if err := add(c.Timeline); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		if err := each(dir, c.Evidence, add); err != nil {
			return nil, err
		}
	}
	if err := each(dir, FolderOf(engine), add); err != nil {
		return nil, err
	}
	return found, nil
}

// each calls do for the files of a directory, if it exists.
func each(dir fs.FS, folder string, do func(name string) error) error {
	if folder == "" || !fs.ValidPath(folder) {
		return nil
	}
	err := fs.WalkDir(dir, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return do(name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// within reports whether a file is in a directory; "" is no directory.
func within(folder, file string) bool {
	return folder != "" && strings.HasPrefix(file, folder+"/")
}

// Digest returns the digest of a regular file. The error is fs.ErrNotExist if it is missing.
func Digest(dir fs.FS, name string) (schema.File, error) {
	info, err := fs.Stat(dir, name)
	if err != nil {
		return schema.File{}, err
	}
	if !info.Mode().IsRegular() {
		return schema.File{}, fmt.Errorf("%s is no regular file", name)
	}
	f, err := dir.Open(name)
	if err != nil {
		return schema.File{}, err
	}
	defer func() { _ = f.Close() }()
	return digest(f, name)
}

func digest(content io.Reader, name string) (schema.File, error) {
	hash := sha256.New()
	n, err := io.Copy(hash, content)
	if err != nil {
		return schema.File{}, fmt.Errorf("read %s: %w", name, err)
	}
	return schema.File{Path: name, SHA256: hex.EncodeToString(hash.Sum(nil)), Bytes: n}, nil
}

// BinaryDigest returns the digest of the running binary, such as "sha256:0123…".
func BinaryDigest() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the path of this program: %w", err)
	}
	return ProgramDigest(self)
}

// ProgramDigest returns the digest of a file, such as "sha256:0123…".
func ProgramDigest(path string) (string, error) {
	program, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = program.Close() }()
	f, err := digest(program, path)
	if err != nil {
		return "", err
	}
	return "sha256:" + f.SHA256, nil
}
