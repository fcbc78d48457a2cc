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

package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/schema"
)

// File is the journal's name in the report directory.
const File = reports.JournalFile

// Record is one line: the progress of a case, a problem of the run itself, its start, or what monitors report.
type Record struct {
	spec.Progress

	Problem string `json:"problem,omitempty"`
	Run     *Run   `json:"run,omitempty"`
	// Finding is one of the monitors, Monitoring describes them at their end.
	Finding    *spec.Finding    `json:"finding,omitempty"`
	Monitoring *spec.Monitoring `json:"monitoring,omitempty"`
}

// Run is the start of a run; a resumed one has several.
type Run struct {
	Suite      schema.Suite      `json:"suite"`
	Kubernetes string            `json:"kubernetes"`
	Stack      map[string]string `json:"stack,omitempty"`
	Selection  schema.Selection  `json:"selection"`
	// DriverBuild is the build of the driver under test.
	DriverBuild string `json:"driverBuild,omitempty"`
}

// Mend removes an incomplete last line from a journal.
func Mend(dir string) error {
	data, err := files.Read(dir, File)
	if err != nil {
		return fmt.Errorf("read the journal of an earlier run: %w", err)
	}
	if err := os.Truncate(filepath.Join(dir, File), int64(bytes.LastIndexByte(data, '\n')+1)); err != nil {
		return fmt.Errorf("mend the journal of an earlier run: %w", err)
	}
	return nil
}

// Reset removes the journal of an earlier run from a report directory, with the evidence
// directories of its cases. Their names come from the case IDs: the paths in a journal may be
// anybody's.
func Reset(dir string) (err error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the report directory: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	records, _ := Follow(dir).Next() // unreadable records name no directory
	for _, r := range records {
		if r.Outcome == nil || !spec.ValidID(r.ID) {
			continue
		}
		folder := schema.EvidenceFolder(r.ID)
		if err := root.RemoveAll(folder); err != nil {
			return fmt.Errorf("remove the evidence of an earlier run: %w", err)
		}
		_ = root.Remove(path.Dir(folder)) // with its last case
	}
	if err := root.Remove(File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the journal of an earlier run: %w", err)
	}
	return nil
}

// Writer appends to a journal. It is safe for concurrent use, and several processes may have one for the same file.
type Writer struct {
	mutex sync.Mutex
	file  *os.File
}

// Append opens the journal of a report directory for appending.
func Append(dir string) (*Writer, error) {
	f, err := os.OpenFile(filepath.Join(dir, File), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &Writer{file: f}, nil
}

// Write appends one record, in a single write so lines of several processes do not mix.
func (w *Writer) Write(r Record) error {
	line, err := json.Marshal(schema.Printable(r))
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if _, err := w.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

// Close closes the file.
func (w *Writer) Close() error { return w.file.Close() }

// Reader reads a journal while it grows.
type Reader struct {
	dir    string
	offset int64
}

// Follow returns a reader for the journal of a report directory, which need not exist yet.
func Follow(dir string) *Reader { return &Reader{dir: dir} }

// Next returns the records since the last call. An incomplete line is left for the next call; a malformed one is an
// error, and the next call continues after it.
func (r *Reader) Next() ([]Record, error) {
	data, err := files.ReadFrom(r.dir, File, r.offset)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	var records []Record
	var errs []error
	for {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		if !complete {
			return records, errors.Join(errs...)
		}
		r.offset += int64(len(line)) + 1
		data = rest
		var record Record
		if err := json.Unmarshal(line, &record); err != nil {
			errs = append(errs, fmt.Errorf("read journal: line %q: %w", line, err))
			continue
		}
		records = append(records, record)
	}
}
