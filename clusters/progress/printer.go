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

package progress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dra-conformance/dratest/clusters/progress/live"
)

const (
	// interval is the time between two lines of a running step.
	interval = 10 * time.Second
	// often is how many such lines are printed in full; later on, every seldom-th.
	often, seldom = 6, 3
	// second is the redraw interval on a terminal.
	second = time.Second
)

// Printer writes progress lines. The zero value discards them. It is safe for concurrent use.
type Printer struct {
	mutex sync.Mutex
	out   io.Writer
}

// New returns a Printer writing to out.
func New(out io.Writer) *Printer { return &Printer{out: out} }

// Printf writes one line.
func (p *Printer) Printf(format string, args ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.out != nil {
		_, _ = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

// Task shows a view in a terminal's live area until it is ended; nil without one.
func (p *Printer) Task(view live.View) *live.Task {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return live.Start(p.out, view)
}

// Step runs do as a named step, and reports its start, progress and end; usually is its duration on a two-core
// machine, zero if short. The error is do's.
func (p *Printer) Step(name string, usually time.Duration, do func() error) error {
	hint := ""
	if usually >= interval/2 {
		hint = fmt.Sprintf(" (usually %s)", usually)
	}
	start := time.Now()
	lines := 0
	every, tick := interval, func() {
		// After a minute, fewer lines are enough.
		if lines++; lines <= often || lines%seldom == 0 {
			p.Printf("  .. %s: %s so far", name, time.Since(start).Round(time.Second))
		}
	}
	task := p.Task(live.View{Text: "  .. " + name + hint})
	if task.Live() {
		every, tick = second, func() {
			task.Set(live.View{Text: fmt.Sprintf("  .. %s: %s%s", name, time.Since(start).Round(time.Second), hint)})
		}
	} else {
		p.Printf("  .. %s%s", name, hint)
	}
	stop := repeat(every, tick)
	err := do()
	stop()
	task.End()
	took := time.Since(start).Round(100 * time.Millisecond)
	if err != nil {
		how := "failed"
		if errors.Is(err, context.Canceled) {
			how = "was interrupted"
		}
		p.Printf("  !! %s %s after %s", name, how, took)
		return err
	}
	p.Printf("  ok %s (%s)", name, took)
	return nil
}

// repeat calls tick regularly until stop is called.
func repeat(every time.Duration, tick func()) (stop func()) {
	ticker := time.NewTicker(every)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				tick()
			}
		}
	})
	return func() { close(done); wg.Wait() }
}
