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
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// faultTime bounds one fault.
const faultTime = 3 * time.Minute

// FaultCount says how often a fault happened.
type FaultCount struct {
	Name string `json:"name"`
	Done int    `json:"done"`
	// Failed is how often it could not be done.
	Failed int `json:"failed,omitempty"`
	// Died counts kills at a point by the actual point of death: a component continues for a moment, and there may be
	// one on each node.
	Died map[string]int `json:"died,omitempty"`
}

type faults struct {
	list   []Fault
	every  time.Duration
	random *rand.Rand
	// until is the end of repeated faults; zero has each happen once.
	until  time.Time
	target Target
	retry  *retrier
	// reported gets each result.
	report func(name string, took time.Duration, err error)
	// over is closed when all have happened.
	over chan struct{}

	mutex  sync.Mutex
	counts []FaultCount
}

func newFaults(o Options, target Target, retry *retrier, report func(string, time.Duration, error)) *faults {
	f := &faults{list: o.Faults, every: o.Every, target: target, retry: retry, report: report, over: make(chan struct{})}
	f.random = rand.New(rand.NewPCG(uint64(o.Seed), 1))
	f.target.Pick = func() string { return target.Workers[f.random.IntN(len(target.Workers))] }
	if o.Installed != nil && len(o.Faults) > 0 {
		f.until = time.Now().Add(o.Duration)
	}
	for _, fault := range o.Faults {
		f.count(fault.Name(), 0, 0)
	}
	return f
}

// run runs all faults, each at a newly chosen moment.
func (f *faults) run(ctx context.Context) {
	for i := 0; !f.until.IsZero() || i < len(f.list); i++ {
		fault := f.list[i%len(f.list)]
		pause, last := time.Duration(f.random.Int64N(2*int64(f.every))), false
		if left := time.Until(f.until); !f.until.IsZero() && pause > left {
			pause, last = left, true
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if last {
			break
		}
		began := time.Now()
		limited, cancel := context.WithTimeout(ctx, faultTime)
		do := func() error { return fault.Do(limited, f.target) }
		var err error
		if _, ok := fault.(Blinder); ok {
			err = f.retry.without(do)
		} else {
			err = do()
		}
		cancel()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.count(fault.Name(), 0, 1)
		} else {
			f.count(fault.Name(), 1, 0)
		}
		f.report(fault.Name(), time.Since(began), err)
	}
	close(f.over)
}

func (f *faults) count(name string, done, failed int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if i := f.index(name); i >= 0 {
		f.counts[i].Done += done
		f.counts[i].Failed += failed
		return
	}
	f.counts = append(f.counts, FaultCount{Name: name, Done: done, Failed: failed})
}

func (f *faults) index(name string) int {
	return slices.IndexFunc(f.counts, func(c FaultCount) bool { return c.Name == name })
}

// done returns the count of each fault, and the total.
func (f *faults) done() (counts []FaultCount, total int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, c := range f.counts {
		total += c.Done
	}
	counts = slices.Clone(f.counts)
	for _, fault := range f.list {
		if killer, ok := fault.(Killer); ok {
			counts[f.index(fault.Name())].Died = killer.Died()
		}
	}
	return counts, total
}
