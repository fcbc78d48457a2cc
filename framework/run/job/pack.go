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

package job

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/dra-conformance/dratest/framework/limit"
)

// pack writes the files below a directory as a tar.gz.
func pack(w io.Writer, dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("pack the report: %w", err)
	}
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	if err := errors.Join(archive.AddFS(os.DirFS(dir)), archive.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("pack the report in %s: %w", dir, err)
	}
	return nil
}

const (
	// block is the minimum disk space of a file or directory, in bytes.
	block = 4 << 10
	// maxName is the maximum length of a path in bytes; those of reports have about 100. All paths are kept in memory.
	maxName = 1024
)

// paths are files and directories.
type paths map[string]bool

// add adds a path and its directories, and returns how many of them are new.
func (p paths) add(name string) (added int64) {
	for ; !p[name] && name != "." && name != "/"; name = path.Dir(name) {
		p[name] = true
		added++
	}
	return added
}

// unpack is the reverse of pack. It writes at most most bytes, and nothing outside of dir. It returns limit.ErrTooBig
// for more, and other errors for invalid archives and failed writes.
func unpack(r io.Reader, dir string, most int64) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("unpack the report: %w", err)
		}
	}()
	zipped, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	unzipped := limit.Reader(zipped, most+most/8+1<<20) // with headers; also limits data after the archive
	archive := tar.NewReader(unzipped)
	made := paths{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, unzipped) // its checksum is at the end
			return err
		}
		if err != nil {
			return err
		}
		if len(header.Name) > maxName {
			return fmt.Errorf("a name has %d bytes, more than %d", len(header.Name), maxName)
		}
		if most -= header.Size + block*made.add(path.Clean(header.Name)); most < 0 || header.Size < 0 {
			return fmt.Errorf("%w: %s exceeds the limit", limit.ErrTooBig, header.Name)
		}
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(path.Clean(header.Name), 0o755)
		case tar.TypeReg:
			err = unpackFile(root, header.Name, archive)
		default:
			err = fmt.Errorf("%s is neither a file nor a directory", header.Name)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, name string, content io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// moveInto moves the files below a directory of dir into dir itself.
func moveInto(dir, folder string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	err = fs.WalkDir(root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		to := strings.TrimPrefix(strings.TrimPrefix(name, folder), "/")
		switch {
		case err != nil || to == "":
			return err
		case d.IsDir():
			return root.MkdirAll(to, 0o755)
		default:
			return root.Rename(name, to)
		}
	})
	if err != nil {
		return fmt.Errorf("move the report into %s: %w", dir, err)
	}
	return nil
}
