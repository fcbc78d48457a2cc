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
	"io"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var podResource = schema.GroupResource{Resource: "pods"}

// answering is a request with these answers, one per attempt.
func answering(answers ...error) func(context.Context) error {
	return func(context.Context) error {
		err := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return err
	}
}

func TestRetry(t *testing.T) {
	exists, invalid := apierrors.NewAlreadyExists(podResource, "p"), apierrors.NewInvalid(schema.GroupKind{}, "p", nil)
	for name, tc := range map[string]struct {
		answers []error
		want    error
		took    time.Duration
	}{
		"works":                    {[]error{nil}, nil, 0},
		"works again":              {[]error{io.EOF, io.EOF, nil}, nil, 2 * again},
		"had been done":            {[]error{io.EOF, exists}, nil, again},
		"was done by others":       {[]error{exists}, exists, 0},
		"is refused":               {[]error{invalid}, invalid, 0},
		"is refused later":         {[]error{io.EOF, invalid}, invalid, again},
		"permissions are not read": {[]error{apierrors.NewForbidden(podResource, "p", io.EOF), nil}, nil, again},
		"server starts":            {[]error{apierrors.NewServiceUnavailable("starts"), nil}, nil, again},
		"never works":              {[]error{io.EOF}, io.EOF, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := (&retrier{patience: 10 * time.Second}).do(t.Context(), answering(tc.answers...), apierrors.IsAlreadyExists)
				if took := time.Since(began); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) || took != tc.took {
					t.Errorf("got %v after %s, want %v after %s", err, took, tc.want, tc.took)
				}
			})
		})
	}
}

func TestRetryEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 3*time.Second, errCut)
		defer cancel()
		if err := (&retrier{patience: time.Hour}).do(ctx, answering(io.EOF), nil); !errors.Is(err, errCut) {
			t.Errorf("got %v", err)
		}
	})
}

// A minute without the API server is longer than ten seconds of patience.
func TestAbsenceTakesNobodysPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &retrier{patience: 10 * time.Second}
		before := time.Now()
		time.Sleep(time.Second)
		away := make(chan error)
		go func() {
			away <- r.without(func() error { time.Sleep(time.Minute); return io.EOF })
		}()
		began := time.Now()
		if err := r.do(t.Context(), answering(io.ErrUnexpectedEOF), nil); !errors.Is(err, io.ErrUnexpectedEOF) || time.Since(began) != 70*time.Second {
			t.Errorf("gave up after %s with %v", time.Since(began), err)
		}
		if err := <-away; !errors.Is(err, io.EOF) {
			t.Errorf("the fault ended with %v", err)
		}
		if !r.awaySince(before) || !r.awaySince(began.Add(30*time.Second)) || r.awaySince(time.Now()) {
			t.Error("it does not know when the API server was away")
		}
		if since := r.since(before); since != 10*time.Second {
			t.Errorf("%s of patience are gone", since)
		}
		later := time.Now()
		time.Sleep(time.Second)
		if since := r.since(later); since != time.Second {
			t.Errorf("%s of patience are gone since", since)
		}
	})
}
