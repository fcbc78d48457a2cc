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

package main

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"
)

type cost struct {
	time   time.Duration
	bytes  uint64
	allocs uint64
	// capped is set for a timeout: the time is a lower bound.
	capped bool
}

// String writes the time with its unit.
func (c cost) String() string {
	switch {
	case c.time == 0:
		return "-"
	case c.capped:
		return fmt.Sprintf("> %d ms", c.time.Milliseconds())
	case c.time < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(c.time)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.2f ms", float64(c.time)/float64(time.Millisecond))
}

const (
	rounds = 3
	// long is the minimum duration of a round.
	long = 100 * time.Millisecond
)

// measure calls f many times and returns the mean of the fastest of three rounds: other load on the
// machine only ever adds time.
func measure(f func() error) (cost, error) {
	var best cost
	// Double the number of calls until they take long enough: a single one may be below the clock's
	// resolution.
	n := 1
	for {
		c, err := round(f, n)
		if err != nil || c.capped {
			return c, err
		}
		if best = c; c.time*time.Duration(n) >= long {
			break
		}
		n *= 2
	}
	for range rounds - 1 {
		c, err := round(f, n)
		if err != nil || c.capped {
			return c, err
		}
		if c.time < best.time {
			best = c
		}
	}
	return best, nil
}

func round(f func() error, n int) (cost, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	started, err := threadTime()
	if err != nil {
		return cost{}, err
	}
	var capped bool
	for range n {
		if err := f(); errors.Is(err, errCapped) {
			// The time until then is a lower bound.
			capped, n = true, 1
			break
		} else if err != nil {
			return cost{}, err
		}
	}
	ended, err := threadTime()
	if err != nil {
		return cost{}, err
	}
	runtime.ReadMemStats(&after)
	calls := uint64(n) //nolint:gosec // n is at least 1
	return cost{
		time:   (ended - started) / time.Duration(n),
		bytes:  (after.TotalAlloc - before.TotalAlloc) / calls,
		allocs: (after.Mallocs - before.Mallocs) / calls,
		capped: capped,
	}, nil
}

// threadTime is the CPU time of the calling thread, excluding other load on the machine. It misses
// the garbage collector's work on other threads, in favor of the side producing more garbage.
func threadTime() (time.Duration, error) {
	const thread = 1 // RUSAGE_THREAD of Linux
	var use syscall.Rusage
	if err := syscall.Getrusage(thread, &use); err != nil {
		return 0, fmt.Errorf("read the CPU time of the thread: %w", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), nil
}

// ratio is 0 if one of the two was not measured.
func ratio(upstream, own time.Duration) float64 {
	if own == 0 {
		return 0
	}
	return float64(upstream) / float64(own)
}
