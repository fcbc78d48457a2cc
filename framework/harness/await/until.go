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

package await

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// interval is the time between two polls.
	interval = 100 * time.Millisecond
	// Patience bounds how long a poll goes on while every attempt fails: a server or an agent
	// may be unavailable for a moment.
	Patience = 15 * time.Second
)

// Until polls until look returns true. It gives up when ctx ends, with its cause as the error,
// and when look has failed for longer than Patience.
func Until(ctx context.Context, look func(ctx context.Context) (bool, error)) error {
	return Patiently(ctx, Patience, look)
}

// Patiently is Until with another patience.
func Patiently(ctx context.Context, patience time.Duration, look func(ctx context.Context) (bool, error)) error {
	var last error
	good := time.Now()
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		ok, err := look(ctx)
		if last = err; err == nil {
			good = time.Now()
			return ok, nil
		}
		if time.Since(good) > patience {
			return false, err
		}
		return false, nil
	})
	return withTrouble(withCause(ctx, err), last)
}

// Insist retries until do succeeds, as long as Until has patience. Deleting a missing object
// succeeds.
func Insist(ctx context.Context, what string, do func(ctx context.Context) error) error {
	err := Until(ctx, func(ctx context.Context) (bool, error) {
		err := IgnoreNotFound(do(ctx))
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// IgnoreNotFound returns nil for a missing object.
func IgnoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// withCause replaces the error of an ended context by its cause.
func withCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// withTrouble adds the failure of the last look.
func withTrouble(err, last error) error {
	if err == nil || last == nil || errors.Is(err, last) {
		return err
	}
	return fmt.Errorf("%w (%w)", err, last)
}
