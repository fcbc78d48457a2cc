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

package limit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrTooBig means that the input exceeds its size limit.
var ErrTooBig = errors.New("too big")

// Reader reads at most n bytes, then fails with ErrTooBig.
func Reader(from io.Reader, n int64) io.Reader { return &reader{from, n, n} }

type reader struct {
	from io.Reader
	n    int64
	left int64
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.left < 0 {
		return 0, tooBig(r.n)
	}
	if int64(len(p)) > r.left+1 {
		p = p[:r.left+1]
	}
	n, err := r.from.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return n - 1, tooBig(r.n)
	}
	return n, err
}

// Writer writes at most n bytes, then fails with ErrTooBig.
func Writer(to io.Writer, n int64) io.Writer { return &writer{to, n, n} }

type writer struct {
	to   io.Writer
	n    int64
	left int64
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if int64(len(p)) > w.left {
		return 0, tooBig(w.n)
	}
	n, err := w.to.Write(p)
	w.left -= int64(n)
	return n, err
}

func tooBig(n int64) error { return fmt.Errorf("%w: more than %d bytes", ErrTooBig, n) }

// ReadAll is io.ReadAll of at most n bytes.
func ReadAll(from io.Reader, n int64) ([]byte, error) {
	data, err := io.ReadAll(Reader(from, n))
	if err != nil {
		return nil, err
	}
	return data, nil
}

// DecodeJSON decodes one JSON value of at most n bytes. encoding/json limits its nesting.
func DecodeJSON(from io.Reader, n int64, out any) error {
	return json.NewDecoder(Reader(from, n)).Decode(out)
}

// ReadFile is os.ReadFile of a regular file of at most n bytes. A FIFO or device is an error; opening it does not
// block.
func ReadFile(path string, n int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("read %s: %w", path, syscall.EISDIR)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("read %s: not a regular file (%s)", path, info.Mode())
	}
	if err == nil && info.Size() > n {
		err = fmt.Errorf("read %s: %w", path, tooBig(n))
	}
	if err != nil {
		return nil, err
	}
	data, err := ReadAll(file, n) // it may grow
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}
