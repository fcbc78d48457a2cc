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

// most is the number of violations of a rule whose evidence is kept.
const most = 50

// ledger holds what was found, each violation once, and keeps the evidence.
type ledger struct {
	dir string
	// told gets each new violation, with the file that has its evidence and how many
	// of its rule there are by now.
	told func(v audit.Violation, file string, number int)

	mutex        sync.Mutex
	known        map[string]bool
	found        []Finding
	problems     []string
	states       int
	missedStates int
	reads        int
}

// Finding is a violation in a summary.
type Finding struct {
	Rule    audit.Rule `json:"rule"`
	Text    string     `json:"text"`
	Warning bool       `json:"warning,omitempty"`
	// Evidence is the file that has the objects as they were.
	Evidence string `json:"evidence,omitempty"`
}

func (l *ledger) add(violations []audit.Violation) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, v := range violations {
		if l.known[v.Identity()] {
			continue
		}
		l.known[v.Identity()] = true
		number := 1
		for _, other := range l.found {
			if other.Rule == v.Rule {
				number++
			}
		}
		f := Finding{Rule: v.Rule, Text: v.Text, Warning: v.Rule.Warning()}
		if number <= most {
			f.Evidence = fmt.Sprintf("violation-%03d-%s.yaml", len(l.found)+1, v.Rule)
			if err := l.keep(v, f.Evidence); err != nil {
				l.problems = append(l.problems, err.Error())
			}
		}
		l.found = append(l.found, f)
		l.told(v, f.Evidence, number)
	}
}

func (l *ledger) keep(v audit.Violation, name string) error {
	data := fmt.Appendf(nil, "# %s\n", v)
	for _, o := range v.Evidence {
		copied := o.DeepCopyObject()
		if kinds, _, err := scheme.Scheme.ObjectKinds(copied); err == nil {
			copied.GetObjectKind().SetGroupVersionKind(kinds[0])
		}
		text, err := yaml.Marshal(copied)
		if err != nil {
			return fmt.Errorf("keep the evidence of %s: %w", v, err)
		}
		data = append(data, "---\n"...)
		data = append(data, bytes.TrimSpace(text)...)
		data = append(data, '\n')
	}
	if err := os.WriteFile(filepath.Join(l.dir, name), data, 0o644); err != nil {
		return fmt.Errorf("keep the evidence of %s: %w", v, err)
	}
	return nil
}

// problem is something that makes the soak say less than it should.
func (l *ledger) problem(format string, args ...any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.problems, text) {
		l.problems = append(l.problems, text)
	}
}

// missed counts a time in which states of the claims may have been missed.
func (l *ledger) missed() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.missedStates++
}

// violations is the number of those that are no warnings.
func (l *ledger) violations() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	n := 0
	for _, f := range l.found {
		if !f.Warning {
			n++
		}
	}
	return n
}
