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

package timeline

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// klogHeader is the header of a Kubernetes component's log line: severity, time, process, file.
var klogHeader = regexp.MustCompile(`^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ([\w./-]+:\d+)\] (.*)$`)

// journalHeader is the prefix of a line in journalctl's short-iso-precise format.
var journalHeader = regexp.MustCompile(`^(\S+) \S+ \S+\[\d+\]: `)

// journalTime is the time in it.
const journalTime = "2006-01-02T15:04:05.999999-0700"

// Journal returns the entries of a node's journal, as printed by journalctl with --output=short-iso-precise. Lines of
// another form are skipped.
func Journal(log []byte, node string) []spec.TimelineEntry {
	var entries []spec.TimelineEntry
	for line := range bytes.Lines(log) {
		text := strings.TrimSpace(string(line))
		header := journalHeader.FindStringSubmatch(text)
		if header == nil {
			continue
		}
		// systemd 253 and newer write +00:00, older ones +0000.
		at, err := time.Parse(journalTime, header[1])
		if err != nil {
			at, err = time.Parse(time.RFC3339Nano, header[1])
		}
		if err == nil {
			entries = append(entries, logLine(at, spec.FromKubelet, node, text[len(header[0]):]))
		}
	}
	return entries
}

// Stamped is the entry of a container's log line with the API server's timestamp; nil if there is none.
func Stamped(line string, source spec.TimelineSource, object string) *spec.TimelineEntry {
	stamp, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return nil
	}
	e := logLine(at, source, object, text)
	return &e
}

// logLine is the entry of one line of a log.
func logLine(at time.Time, source spec.TimelineSource, object, text string) spec.TimelineEntry {
	e := spec.TimelineEntry{Time: at, Source: source, Object: object, Text: text}
	if klog := klogHeader.FindStringSubmatch(text); klog != nil {
		e.Text = fmt.Sprintf("%s (%s)", klog[3], klog[2])
		e.Severity = map[string]spec.TimelineSeverity{"W": spec.SeverityWarning, "E": spec.SeverityError, "F": spec.SeverityError}[klog[1]]
	}
	return e
}
