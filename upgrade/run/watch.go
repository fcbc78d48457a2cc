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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

const (
	// watchFolder is the directory of a watcher in a report directory, locked while it watches, watchFile its result.
	watchFolder = "watch"
	watchFile   = "watch.json"
	// watchInterval is the interval between two updates of the file.
	watchInterval = 2 * time.Second
	// reportedOutage is the shortest downtime that a watcher prints.
	reportedOutage = 5.0
)

// watched is what a watcher saw before a check.
type watched struct {
	// Check is the number of the next check.
	Check     int       `json:"check"`
	Seconds   float64   `json:"seconds"`
	Downtimes Downtimes `json:"downtimes"`
}

// watchLog has the results of all watchers of an upgrade, in order.
type watchLog []watched

// add adds an observation made before a check.
func (l watchLog) add(check int, seconds float64, d Downtimes) watchLog {
	if len(l) == 0 || l[len(l)-1].Check != check {
		l = append(l, watched{Check: check})
	}
	last := &l[len(l)-1]
	last.Seconds += seconds
	last.Downtimes = last.Downtimes.over(d)
	return l
}

// before returns what was seen before a check.
func (l watchLog) before(check int) watched {
	all := watched{Check: check}
	for _, w := range l {
		if w.Check == check {
			all.Seconds += w.Seconds
			all.Downtimes = all.Downtimes.over(w.Downtimes)
		}
	}
	return all
}

func readWatch(dir string) (l watchLog, err error) {
	data, err := os.ReadFile(filepath.Join(dir, watchFolder, watchFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err != nil {
		return nil, fmt.Errorf("read the downtimes: %w", err)
	}
	return l, nil
}

func (l watchLog) save(dir string) error {
	data, err := json.MarshalIndent(l, "", "  ")
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, watchFolder, watchFile), append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the downtimes: %w", err)
	}
	return nil
}

// lockWatch keeps other watchers away, and fails if there is one.
func lockWatch(dir string) (unlock func(), err error) {
	unlock, err = reports.Lock(filepath.Join(dir, watchFolder))
	if errors.Is(err, reports.ErrInUse) {
		err = clusters.Usage(errors.New("\"dratest upgrade watch\" is running for this report directory: stop it first (Ctrl-C)"))
	}
	return unlock, err
}

// Watch measures downtimes during an upgrade by another tool, until ctx ends.
func Watch(ctx context.Context, parts Parts, o Options) error {
	e := &externalRun{run: run{parts: parts, options: o}, stage: StageCheck}
	e.options.Config = o.WithDefaults()
	dir := e.options.ReportDir
	if err := e.load(); err != nil {
		return clusters.Usage(err)
	}
	e.takeOptions()
	unlock, err := lockWatch(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := e.connect(ctx); err != nil {
		return err
	}
	l, err := readWatch(dir)
	if err != nil {
		return err
	}
	agents, err := parts.Agents.Connect(ctx, e.testbed.REST)
	if err != nil {
		return err
	}
	now, err := probe.Target(ctx, e.testbed.REST)
	if err != nil {
		return err
	}
	instances, err := outage.Start(ctx, e.testbed.Client, agents, outageDriver, watchedNodes(e.record.Target, now))
	if err != nil {
		return err
	}
	m := &meter{client: e.testbed.Client, instances: instances}
	stop, err := m.start(ctx)
	if err != nil {
		return err
	}
	defer func() {
		stop()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), testbed.CleanupTime)
		defer cancel()
		_ = outage.Stop(ending, agents, instances) // otherwise they go with the agents
	}()
	e.testbed.Progress.Printf("  ok watching for downtimes until Ctrl-C: run \"dratest upgrade check --report-dir %s\" in another terminal", dir)
	return e.watch(ctx, l, m.take)
}

// watchedNodes are the worker nodes, also those cordoned since the first process, and not those replaced since.
func watchedNodes(first, now spec.Target) []string {
	workers := slices.Concat(first.Workers(), now.Workers())
	var names []string
	for _, n := range now.Nodes {
		if slices.Contains(workers, n.Name) {
			names = append(names, n.Name)
		}
	}
	return names
}

// watch adds observations to the log.
func (e *externalRun) watch(ctx context.Context, l watchLog, take func() Downtimes) error {
	dir := e.options.ReportDir
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	for last := time.Now(); ; {
		ended := false
		select {
		case <-ctx.Done():
			ended = true
		case <-ticks.C:
		}
		record, err := LoadRecord(dir)
		if err != nil {
			return err
		}
		now, d := time.Now(), take()
		l = l.add(len(record.Steps)+1, now.Sub(last).Seconds(), d)
		last = now
		if text := d.text(reportedOutage); text != "" {
			e.testbed.Progress.Printf("  !! %s without %s", now.UTC().Format(time.TimeOnly), text)
		}
		if err := l.save(dir); err != nil || ended {
			return err
		}
	}
}
