package progress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// interval is the time between two lines of a step that goes on.
const interval = 10 * time.Second

// Printer writes progress lines. The zero value discards them; a Printer may be
// used by several goroutines.
type Printer struct {
	mutex sync.Mutex
	out   io.Writer
}

// New returns a Printer that writes to out.
func New(out io.Writer) *Printer { return &Printer{out: out} }

// Printf writes one line.
func (p *Printer) Printf(format string, args ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.out != nil {
		_, _ = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

// Step runs do, which is called name, and reports its start, its progress and
// its end; usually is what the step takes on a machine with two cores, zero if
// it is short. The error is do's.
func (p *Printer) Step(name string, usually time.Duration, do func() error) error {
	hint := ""
	if usually >= interval/2 {
		hint = fmt.Sprintf(" (usually %s)", usually)
	}
	p.Printf("  .. %s%s", name, hint)
	start := time.Now()
	ticker := time.NewTicker(interval)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.Printf("  .. %s: %s so far", name, time.Since(start).Round(time.Second))
			}
		}
	})
	err := do()
	close(done)
	wg.Wait()
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
