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

package soak

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/audit"
)

// most is the maximum number of violations per rule with evidence, and of warnings per rule with text.
const most = 50

// findings has the findings, each violation once, and writes their evidence. Warnings of a rule are one finding with
// one file: a single one proves nothing, but their number may.
type findings struct {
	dir string
	// reported receives each new violation, with its evidence file and the number of violations of its rule so far.
	report func(v audit.Violation, file string, number int)

	mutex        sync.Mutex
	known        map[string]bool
	list         []Finding
	problems     []string
	states       int
	missedStates int
	reads        int
}

// Finding is a violation in a summary, or all warnings of a rule.
type Finding struct {
	Rule audit.Rule `json:"rule"`
	// Text is that of the first warning.
	Text    string `json:"text"`
	Warning bool   `json:"warning,omitempty"`
	// Count is the number of warnings, 0 for a violation.
	Count int `json:"count,omitempty"`
	// Evidence is the file with the objects at that time; for warnings the objects of the first one, and the first
	// texts.
	Evidence string `json:"evidence,omitempty"`

	texts   []string
	objects []byte
}

func (l *findings) add(violations []audit.Violation) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, v := range violations {
		if l.known[v.Identity()] {
			continue
		}
		l.known[v.Identity()] = true
		if v.Rule.Warning() {
			l.warn(v)
		} else {
			l.accuse(v)
		}
	}
}

func (l *findings) accuse(v audit.Violation) {
	violations, number := 1, 1
	for _, other := range l.list {
		if !other.Warning {
			violations++
		}
		if other.Rule == v.Rule {
			number++
		}
	}
	f := Finding{Rule: v.Rule, Text: v.Text}
	if number <= most {
		f.Evidence = fmt.Sprintf("violation-%03d-%s.yaml", violations, v.Rule)
		if data, err := objectsOf(v); err != nil {
			l.problems = append(l.problems, err.Error())
		} else {
			l.keep(f.Evidence, fmt.Appendf(nil, "# %s\n%s", v, data))
		}
	}
	l.list = append(l.list, f)
	l.report(v, f.Evidence, number)
}

func (l *findings) warn(v audit.Violation) {
	i := slices.IndexFunc(l.list, func(f Finding) bool { return f.Rule == v.Rule })
	if i < 0 {
		data, err := objectsOf(v)
		if err != nil {
			l.problems = append(l.problems, err.Error())
		}
		i = len(l.list)
		l.list = append(l.list, Finding{Rule: v.Rule, Text: v.Text, Warning: true, Evidence: fmt.Sprintf("warning-%s.yaml", v.Rule), objects: data})
	}
	f := &l.list[i]
	f.Count++
	if len(f.texts) < most {
		f.texts = append(f.texts, v.String())
	}
	data := fmt.Appendf(nil, "# %d warnings of the rule %s, with the objects of the first one. The first %d:\n", f.Count, f.Rule, len(f.texts))
	for _, text := range f.texts {
		data = fmt.Appendf(data, "# %s\n", text)
	}
	l.keep(f.Evidence, append(data, f.objects...))
	l.report(v, f.Evidence, f.Count)
}

func (l *findings) keep(name string, data []byte) {
	if err := os.WriteFile(filepath.Join(l.dir, name), data, 0o644); err != nil {
		l.problems = append(l.problems, fmt.Sprintf("keep the evidence: %v", err))
	}
}

func objectsOf(v audit.Violation) ([]byte, error) {
	var data []byte
	for _, o := range v.Evidence {
		copied := o.DeepCopyObject()
		if kinds, _, err := scheme.Scheme.ObjectKinds(copied); err == nil {
			copied.GetObjectKind().SetGroupVersionKind(kinds[0])
		}
		text, err := yaml.Marshal(copied)
		if err != nil {
			return nil, fmt.Errorf("keep the evidence of %s: %w", v, err)
		}
		data = append(data, "---\n"...)
		data = append(data, bytes.TrimSpace(text)...)
		data = append(data, '\n')
	}
	return data, nil
}

// problem records a limitation of the soak's result.
func (l *findings) problem(format string, args ...any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.problems, text) {
		l.problems = append(l.problems, text)
	}
}

// missed counts a time with possibly missed states of the claims.
func (l *findings) missed() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.missedStates++
}

// violations is the number of findings other than warnings.
func (l *findings) violations() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	n := 0
	for _, f := range l.list {
		if !f.Warning {
			n++
		}
	}
	return n
}
