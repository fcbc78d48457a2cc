package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// cost is what one call takes.
type cost struct {
	time   time.Duration
	bytes  uint64
	allocs uint64
	// capped means that there was no answer: the time is a lower bound.
	capped bool
}

// String writes the time with its unit.
func (c cost) String() string {
	switch {
	case c.time == 0:
		return "-"
	case c.capped:
		return "> " + c.time.String()
	case c.time < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(c.time)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.2f ms", float64(c.time)/float64(time.Millisecond))
}

const (
	rounds = 3
	// long is how long a round lasts at least, unless a single call takes longer.
	long = 200 * time.Millisecond
)

// measure calls f many times and returns the mean of the fastest of three rounds:
// others use the machine too, and they only ever make things slower.
func measure(f func() error) (cost, error) {
	var best cost
	started := time.Now()
	if err := f(); errors.Is(err, errCapped) {
		return cost{time: patience, capped: true}, nil
	} else if err != nil {
		return cost{}, err
	}
	first := max(time.Since(started), time.Microsecond)
	n := max(1, int(long/first))
	for range rounds {
		c, err := round(f, n)
		if errors.Is(err, errCapped) {
			return cost{time: patience, capped: true}, nil
		}
		if err != nil {
			return cost{}, err
		}
		if best.time == 0 || c.time < best.time {
			best = c
		}
		// The first call may have been slow because it was the first.
		n = max(n, min(100*n, int(long/max(c.time, time.Nanosecond))))
	}
	return best, nil
}

func round(f func() error, n int) (cost, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	started := time.Now()
	for range n {
		if err := f(); err != nil {
			return cost{}, err
		}
	}
	elapsed := time.Since(started)
	runtime.ReadMemStats(&after)
	calls := uint64(n) //nolint:gosec // n is at least 1
	return cost{
		time:   elapsed / time.Duration(n),
		bytes:  (after.TotalAlloc - before.TotalAlloc) / calls,
		allocs: (after.Mallocs - before.Mallocs) / calls,
	}, nil
}

// ratio is 0 if one of the two was not measured.
func ratio(upstream, own time.Duration) float64 {
	if own == 0 {
		return 0
	}
	return float64(upstream) / float64(own)
}
