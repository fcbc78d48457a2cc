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

// again is how long to wait after an API error.
const again = 500 * time.Millisecond

// retrier tries requests again while the API server does not answer them. It knows
// when a fault has the API server away: that time takes nobody's patience.
type retrier struct {
	patience time.Duration

	mutex    sync.Mutex
	absences []absence
}

// absence is a time in which the API server is away on purpose; it has no end while
// it lasts.
type absence struct{ began, ended time.Time }

// do makes a request until the API server has answered it, and gives up when it has
// not for the whole patience. A request that failed may have been done all the same:
// done is what the API server answers to the next attempt then, nil for nothing.
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

// answered is whether an API server that works has said no. One that has just started
// knows neither accounts nor permissions.
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

// without lets do happen while the API server is away.
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

// awaySince is whether the API server was away on purpose at a moment or after it.
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

// since is how long a moment is ago, or the end of an absence after it.
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
