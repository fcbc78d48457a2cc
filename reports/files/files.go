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

package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const (
	// MaxRead is the size limit of a file read into memory, in bytes. The report of 100,000
	// cases takes half of it.
	MaxRead = 256 << 20
	// MaxFile is the size limit of any file.
	MaxFile = 4 << 30
)

// ErrRefused marks files not allowed in a report directory.
var ErrRefused = errors.New("refused")

// Dir is a directory opened for reading. It implements fs.FS and fs.ReadFileFS.
type Dir struct{ root *os.Root }

// Open opens a directory. Close it.
func Open(path string) (Dir, error) {
	root, err := os.OpenRoot(path)
	return Dir{root}, err
}

// Close closes the directory.
func (d Dir) Close() error { return d.root.Close() }

// Read returns the content of a file in a directory, like ReadFile.
func Read(path, name string) ([]byte, error) { return ReadFrom(path, name, 0) }

// ReadFrom returns the content of a file in a directory, starting at an offset.
func ReadFrom(path, name string, offset int64) ([]byte, error) {
	d, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return d.read(name, offset)
}

// Open opens a regular file or a directory.
func (d Dir) Open(name string) (fs.File, error) {
	refuse := func(format string, args ...any) error {
		return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)}
	}
	if !fs.ValidPath(name) {
		return nil, refuse("it is not a path inside the directory")
	}
	info, err := d.root.Stat(name)
	if err != nil {
		if link, linkErr := d.root.Lstat(name); linkErr == nil && link.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, fs.ErrNotExist) {
			return nil, refuse("it is a link out of the directory")
		}
		return nil, err
	}
	check := func(info fs.FileInfo) error {
		switch {
		case info.IsDir():
			return nil
		case !info.Mode().IsRegular():
			return refuse("it is not a regular file")
		case info.Size() > MaxFile:
			return refuse("it has %d bytes, more than %d", info.Size(), int64(MaxFile))
		}
		return nil
	}
	if err := check(info); err != nil {
		return nil, err
	}
	// The file may have been replaced since: opening a FIFO must not block.
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadFile returns the content of a regular file of at most MaxRead bytes.
func (d Dir) ReadFile(name string) ([]byte, error) { return d.read(name, 0) }

func (d Dir) read(name string, offset int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	tooBig := &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: it has more than %d bytes", ErrRefused, MaxRead)}
	info, err := f.Stat()
	if err == nil && info.Size()-offset > MaxRead {
		err = tooBig
	}
	if err == nil && offset > 0 {
		_, err = f.(io.Seeker).Seek(offset, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxRead+1)) // the file may grow
	if err == nil && len(data) > MaxRead {
		err = tooBig
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
