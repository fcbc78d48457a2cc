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

package gather

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Sink stores files; names are local (filepath.IsLocal), with slashes.
type Sink interface {
	Write(name string, content []byte) error
	// Close ends it; without it nothing may be there.
	Close() error
}

// NewSink creates a compressed archive if the path ends in .tar.gz or .tgz, and a directory otherwise. Existing files
// are an error.
func NewSink(name string, now time.Time) (Sink, error) {
	if entries, err := os.ReadDir(name); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: choose another path", name)
	}
	if !strings.HasSuffix(name, ".tar.gz") && !strings.HasSuffix(name, ".tgz") {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return nil, fmt.Errorf("make the directory: %w", err)
		}
		return folder(name), nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the archive: %w", err)
	}
	zipped := gzip.NewWriter(file)
	root := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".tar.gz"), ".tgz")
	return &archive{file: file, zipped: zipped, files: tar.NewWriter(zipped), root: root, now: now}, nil
}

type folder string

// Write implements Sink.
func (f folder) Write(name string, content []byte) error {
	file := filepath.Join(string(f), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// Close implements Sink.
func (folder) Close() error { return nil }

type archive struct {
	file   *os.File
	zipped *gzip.Writer
	files  *tar.Writer
	root   string
	now    time.Time
}

// Write implements Sink.
func (a *archive) Write(name string, content []byte) error {
	header := &tar.Header{Name: path.Join(a.root, name), Mode: 0o600, Size: int64(len(content)), ModTime: a.now, Typeflag: tar.TypeReg}
	if err := a.files.WriteHeader(header); err != nil {
		return err
	}
	_, err := a.files.Write(content)
	return err
}

// Close implements Sink.
func (a *archive) Close() error {
	return errors.Join(a.files.Close(), a.zipped.Close(), a.file.Close())
}
