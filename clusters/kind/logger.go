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

package kind

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/kind/pkg/log"

	"github.com/dra-conformance/dratest/clusters/progress"
)

// logger turns kind's messages into progress lines with times.
type logger struct {
	progress *progress.Printer
	now      func() time.Time

	mutex   sync.Mutex
	step    string
	started time.Time
}

func newLogger(p *progress.Printer) *logger { return &logger{progress: p, now: time.Now} }

var _ log.Logger = (*logger)(nil)

// Warn passes kind's warnings on, except those the user cannot act on.
func (l *logger) Warn(message string) {
	if strings.Contains(message, "cgroup v1 is deprecated") || // reported by "dratest doctor"
		strings.Contains(message, "storage manifest") { // no case needs storage
		return
	}
	l.progress.Printf("     %s", strings.TrimSpace(message))
}

func (l *logger) Warnf(format string, args ...any) { l.Warn(fmt.Sprintf(format, args...)) }

// Error passes on errors kind continues after.
func (l *logger) Error(message string) { l.progress.Printf("     %s", strings.TrimSpace(message)) }

func (l *logger) Errorf(format string, args ...any) { l.Error(fmt.Sprintf(format, args...)) }

// V drops all but the messages for users.
func (l *logger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return steps{l}
}

// steps understands kind's lines " • name ..." and " ✓ name".
type steps struct{ *logger }

func (s steps) Enabled() bool { return true }

func (s steps) Infof(format string, args ...any) { s.Info(fmt.Sprintf(format, args...)) }

func (s steps) Info(message string) {
	message = strings.TrimSpace(message)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if name, ok := strings.CutPrefix(message, "•"); ok {
		s.step, s.started = plain(name), s.now()
		return
	}
	if !strings.HasPrefix(message, "✓") || s.step == "" {
		return
	}
	s.progress.Printf("     %s (%s)", s.step, s.now().Sub(s.started).Round(100*time.Millisecond))
	s.step = ""
}

// plain is a step's name without emoji and dots, starting in lower case.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r > 127 {
			return -1
		}
		return r
	}, name)
	name = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(name), "."))
	if name == "" {
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}
