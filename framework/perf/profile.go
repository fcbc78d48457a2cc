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

package perf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/dra-conformance/dratest/clusters/progress"
)

const (
	// ProfilesDir has the profiles of components in workloads with a missed threshold, such as
	// "template-claims-candidate-kube-scheduler.cpu.pprof", for "go tool pprof".
	ProfilesDir = "profiles"
	// profileSeconds is the duration of CPU profiles.
	profileSeconds = 10
)

// missed reports whether a workload misses a threshold at a size so far. Growth is judged with the
// last, most informative size.
func (r Record) missed(thresholds []Threshold, workload string, size int) bool {
	for _, t := range thresholds {
		if t.Workload == workload && (t.Size == size || t.Kind == Growth) && Judge(t, r.Rounds).Judgement == Missed {
			return true
		}
	}
	return false
}

// profile takes profiles of both sides during additional rounds if a threshold was missed.
func (o Options) profile(ctx context.Context, p *progress.Printer, sides map[Side]*fixture, w Workload, size int, missed bool) error {
	if !missed {
		return nil
	}
	dir := filepath.Join(o.ReportDir, ProfilesDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keep profiles: %w", err)
	}
	for _, side := range []Side{Reference, Candidate} {
		p.Printf("  %s misses a threshold: profiles of the %s go to %s", NameAt(w.Name, size), side, dir)
		prefix := filepath.Join(dir, fmt.Sprintf("%s-%d-%s", w.Name, size, side))
		if size == 0 {
			prefix = filepath.Join(dir, fmt.Sprintf("%s-%s", w.Name, side))
		}
		if err := sides[side].profile(ctx, w, prefix); err != nil {
			return fmt.Errorf("take profiles of the %s: %w", side, err)
		}
	}
	return nil
}

// profile writes profiles of the components into files named with prefix, during rounds.
func (f *fixture) profile(ctx context.Context, w Workload, prefix string) error {
	// Restarted processes would interrupt profiles.
	group, sampling := errgroup.WithContext(ctx)
	for _, name := range append(f.programs(SchedulerComponent, ControllersComponent), apiserver) {
		url := f.processes[name].URL + "/debug/pprof/"
		group.Go(func() error {
			return errors.Join(
				keep(sampling, f.web, fmt.Sprintf("%sprofile?seconds=%d", url, profileSeconds), fmt.Sprintf("%s-%s.cpu.pprof", prefix, name)),
				keep(sampling, f.web, url+"heap", fmt.Sprintf("%s-%s.heap.pprof", prefix, name)))
		})
	}
	done := make(chan error, 1)
	go func() { done <- group.Wait() }()
	for {
		inRound, cancel := bounded(ctx)
		_, err := f.pods(inRound, w)
		cancel()
		if err != nil {
			return errors.Join(err, <-done)
		}
		select {
		case err := <-done:
			return err
		default:
		}
	}
}

// keep downloads url into a file.
func keep(ctx context.Context, client *http.Client, url, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keep a profile: %w", err)
	}
	return errors.Join(download(ctx, client, url, file), file.Close())
}

// errMayNot means this program is not, or not yet, authorized by a component.
var errMayNot = errors.New("it does not let this program ask")

// download copies the response of url.
func download(ctx context.Context, client *http.Client, url string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("download a profile: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("download a profile: %w", err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("download a profile: %s answers %s: %w", url, response.Status, errMayNot)
	default:
		return fmt.Errorf("download a profile: %s answers %s", url, response.Status)
	}
	if _, err := io.Copy(to, response.Body); err != nil {
		return fmt.Errorf("download a profile: %w", err)
	}
	return nil
}
