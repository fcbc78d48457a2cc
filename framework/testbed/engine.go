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

package testbed

import (
	"context"
	"errors"
	"fmt"

	"github.com/dra-conformance/dratest/reports"
)

// Engine does something on a testbed, with its results in a report directory. R is its result.
type Engine[R any] interface {
	// Clean removes an earlier process's files from the report directory, or reads the state to resume.
	Clean() error
	// Prepare sets up everything for Do.
	Prepare(ctx context.Context) error
	// Do returns the result, which is also on disk.
	Do(ctx context.Context) (R, error)
	// Close removes everything set up by Prepare, even if it failed or ctx has ended.
	Close(ctx context.Context) error
	// Print writes the result for people.
	Print(result R)
}

// Run runs an engine while no other process uses the report directory. Results are on disk
// before the testbed is removed, and printed last.
func Run[R any](ctx context.Context, dir string, e Engine[R]) (result R, err error) {
	unlock, err := reports.Lock(dir)
	if err != nil {
		return result, err
	}
	defer unlock()
	if err := e.Clean(); err != nil {
		return result, err
	}
	if err := e.Prepare(ctx); err != nil {
		return result, errors.Join(err, e.Close(ctx))
	}
	result, err = e.Do(ctx)
	if closeErr := e.Close(ctx); closeErr != nil {
		err = errors.Join(err, fmt.Errorf("clean up: %w", closeErr))
	}
	e.Print(result)
	return result, err
}
