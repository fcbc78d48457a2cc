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

package job

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// ProgressPort is the environment variable with the port of sonobuoy's worker.
const ProgressPort = "SONOBUOY_PROGRESS_PORT"

// postTimeout bounds a request to the worker in the same pod.
const postTimeout = 5 * time.Second

// Progress is what "sonobuoy status" shows of a run.
type Progress struct {
	Message   string   `json:"msg"`
	Total     int      `json:"total"`
	Completed int      `json:"completed"`
	Failures  []string `json:"failures,omitempty"`
}

// Reporter posts the progress of a run to sonobuoy's worker. It must be closed.
type Reporter struct {
	url    string
	latest chan Progress
	done   chan struct{}
	err    error
}

// NewReporter returns a reporter for the worker at a port of this pod.
func NewReporter(port string) *Reporter {
	r := &Reporter{url: "http://localhost:" + port + "/progress", latest: make(chan Progress, 1), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for p := range r.latest {
			r.err = r.post(p)
		}
	}()
	return r
}

// Post replaces the progress to be posted. It does not wait, and must not be called concurrently.
func (r *Reporter) Post(p Progress) {
	select {
	case <-r.latest:
	default:
	}
	r.latest <- p
}

// Close waits until the latest progress is posted, and returns the error of that.
func (r *Reporter) Close() error {
	close(r.latest)
	<-r.done
	return r.err
}

func (r *Reporter) post(p Progress) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("post the progress to Sonobuoy: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), postTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("post the progress to Sonobuoy: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("post the progress to Sonobuoy: %w", err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("post the progress to Sonobuoy: the worker answers %s", answer.Status)
	}
	return nil
}
