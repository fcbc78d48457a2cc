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

package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dra-conformance/dratest/framework/monitor"
	"github.com/dra-conformance/dratest/framework/spec"
)

// monitoring watches the cluster during the steps and the parts of the cases.
type monitoring struct {
	monitor *monitor.Monitor

	mutex sync.Mutex
	// progress is news for the monitor, findings are those to be recorded.
	progress []spec.Progress
	findings []spec.Finding
}

// monitor monitors the cluster until Stop is called. For the monitor, each step is a case that restarts components.
func (r *run) monitor(ctx context.Context) (err error) {
	m := &r.monitoring
	c := monitor.Config{REST: r.testbed.REST, Made: r.parts.DriverUnderTest == nil, Resumed: r.options.Resume, Progress: m.news, Found: m.found}
	if s := r.testbed.Target.DriverUnderTest; s != nil {
		c.Driver = s.Driver
	}
	for _, known := range r.parts.Cases {
		c.Cases = append(c.Cases, known.Meta)
	}
	for i := range r.record.Steps {
		c.Cases = append(c.Cases, spec.Meta{ID: stepID(i + 1), Needs: spec.Needs{Disruption: true}})
	}
	r.env.Journal = m.tell
	m.monitor, err = monitor.Start(ctx, c)
	return err
}

// stepID is the ID of a step among the cases.
func stepID(number int) string { return fmt.Sprintf("step %d", number) }

// tell passes on the start, a step or the end of a case.
func (m *monitoring) tell(p spec.Progress) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.progress = append(m.progress, p)
}

func (m *monitoring) stepBegins(number int) {
	m.tell(spec.Progress{Time: time.Now(), ID: stepID(number)})
}

func (m *monitoring) stepEnds(number int) {
	m.tell(spec.Progress{Time: time.Now(), ID: stepID(number), Outcome: &spec.Outcome{}})
}

func (m *monitoring) news() []spec.Progress {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	all := m.progress
	m.progress = nil
	return all
}

func (m *monitoring) found(f spec.Finding) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.findings = append(m.findings, f)
}

// take returns the findings since the last call.
func (m *monitoring) take() []spec.Finding {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	all := m.findings
	m.findings = nil
	return all
}
