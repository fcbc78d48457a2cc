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
	"errors"
	"time"

	"github.com/dra-conformance/dratest/framework/monitor"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// monitoring is a monitor with its lines in the journal.
type monitoring struct {
	monitor *monitor.Monitor
	journal *journal.Writer
	err     error // of the journal
	// gone gets the error of a cluster that became unavailable.
	gone <-chan error
	stop context.CancelFunc
}

// monitor monitors the cluster until close is called.
func (r *running) monitor(ctx context.Context) (*monitoring, error) {
	reader := journal.Follow(r.dir)
	if _, err := reader.Next(); err != nil { // the cases of an earlier run
		return nil, err
	}
	w, err := journal.Append(r.dir)
	if err != nil {
		return nil, err
	}
	m := &monitoring{journal: w}
	driver := ""
	if s := r.plan.Target.DriverUnderTest; s != nil {
		driver = s.Driver
	}
	m.monitor, err = monitor.Start(ctx, monitor.Config{
		REST: r.testbed.REST, Cases: Metas(r.parts.Cases), Driver: driver, SetAside: r.setAside, Made: driver == "" && r.testbed.Provider != testbed.Existing,
		Progress: func() []spec.Progress {
			records, _ := reader.Next() // the collector reports lines that cannot be read
			progress := make([]spec.Progress, 0, len(records))
			for _, record := range records {
				progress = append(progress, record.Progress)
			}
			return progress
		},
		Found: func(f spec.Finding) {
			m.err = errors.Join(m.err, w.Write(journal.Record{Progress: spec.Progress{Time: f.Time}, Finding: &f}))
		},
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	ctx, m.stop = context.WithCancel(ctx)
	m.gone = watch(ctx, func(ctx context.Context) error {
		err := probe.Reachable(ctx, r.testbed.REST)
		if ctx.Err() == nil {
			m.monitor.Probed(err)
		}
		return err
	})
	return m, nil
}

// close ends the monitor, after the processes of the cases.
func (m *monitoring) close(ctx context.Context) error {
	m.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), testbed.CleanupTime)
	defer cancel()
	seen := m.monitor.Stop(ctx)
	err := m.journal.Write(journal.Record{Progress: spec.Progress{Time: time.Now()}, Monitoring: &seen})
	return errors.Join(m.err, err, m.journal.Close())
}
