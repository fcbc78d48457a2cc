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
	// ProfilesDir has the profiles of components for which a threshold was missed, as
	// "template-claims-candidate-kube-scheduler.cpu.pprof", for "go tool pprof".
	ProfilesDir = "profiles"
	// profileSeconds is how long CPU is sampled.
	profileSeconds = 10
)

// missed says whether a threshold of a workload at a size is missed so far. Growth is
// known only with the last size, where the most is to be seen anyway.
func (r Record) missed(thresholds []Threshold, workload string, size int) bool {
	for _, t := range thresholds {
		if t.Workload == workload && (t.Size == size || t.Kind == Growth) && Judge(t, r.Rounds).Judgement == Missed {
			return true
		}
	}
	return false
}

// profile takes profiles of both sides while rounds go on, if a threshold was missed.
func (o Options) profile(ctx context.Context, p *progress.Printer, sides map[Side]*field, w Workload, size int, missed bool) error {
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

// profile writes profiles of the components, whose files begin with prefix, while rounds
// go on.
func (f *field) profile(ctx context.Context, w Workload, prefix string) error {
	// It is of processes that are not ended meanwhile.
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

// keep writes what is at url into a file.
func keep(ctx context.Context, client *http.Client, url, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keep a profile: %w", err)
	}
	return errors.Join(download(ctx, client, url, file), file.Close())
}

// errMayNot is the problem of one who asks a component that does not, or not yet, let it.
var errMayNot = errors.New("it does not let this program ask")

// download copies what is at url.
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
