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
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// again is the retry delay after an API error.
const again = 500 * time.Millisecond

// retrier retries requests while the API server is unavailable. Time during a fault making the API server unavailable
// does not count as patience.
type retrier struct {
	patience time.Duration

	mutex    sync.Mutex
	absences []absence
}

// absence is a deliberate outage of the API server; it has no end while it lasts.
type absence struct{ began, ended time.Time }

// do repeats a request until the API server has answered it, and gives up after patience. A failed request may have
// succeeded all the same: done is the API server's error for the next attempt then, nil for none.
func (r *retrier) do(ctx context.Context, request func(context.Context) error, done func(error) bool) error {
	began := time.Now()
	for first := true; ; first = false {
		err := request(ctx)
		switch {
		case err == nil, !first && done != nil && done(err):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case answered(err), r.since(began) >= r.patience:
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(again):
		}
	}
}

// request is do for requests without a next attempt's error to expect.
func (r *retrier) request(ctx context.Context, request func(context.Context) error) error {
	return r.do(ctx, request, nil)
}

// answered reports whether a working API server has rejected a request. One that has just started knows neither
// accounts nor permissions.
func answered(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	switch code := status.Status().Code; code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return code >= 400 && code < 500
	}
}

// without calls do while the API server is unavailable.
func (r *retrier) without(do func() error) error {
	r.mutex.Lock()
	n := len(r.absences)
	r.absences = append(r.absences, absence{began: time.Now()})
	r.mutex.Unlock()
	defer func() {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.absences[n].ended = time.Now()
	}()
	return do()
}

// awaySince reports whether the API server was deliberately unavailable at or after a moment.
func (r *retrier) awaySince(moment time.Time) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, a := range r.absences {
		if a.ended.IsZero() || !a.ended.Before(moment) {
			return true
		}
	}
	return false
}

// since is the time since a moment, or since the end of a later outage.
func (r *retrier) since(moment time.Time) time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, a := range r.absences {
		if a.ended.IsZero() {
			return 0
		}
		if a.ended.After(moment) {
			moment = a.ended
		}
	}
	return time.Since(moment)
}
