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
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// together is the interval for treating signals as one: timeout of coreutils signals its child and
// then the child's process group.
const together = time.Second

// endOnNextSignal terminates the process on the next signal after ctx is canceled.
func endOnNextSignal(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		time.AfterFunc(together, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
	})
}

// notifySignals forwards signals until stop, and merges duplicates.
func notifySignals() (signals <-chan os.Signal, stop func()) {
	in, out := make(chan os.Signal, 8), make(chan os.Signal, 8)
	signal.Notify(in, os.Interrupt, syscall.SIGTERM)
	go passOn(in, out)
	return out, func() {
		signal.Stop(in)
		close(in)
	}
}

func passOn(in <-chan os.Signal, out chan<- os.Signal) {
	var last time.Time
	for s := range in {
		if last.IsZero() || time.Since(last) > together {
			out <- s
		}
		last = time.Now()
	}
}

// errOutputClosed ends a command without readers of its output.
var errOutputClosed = errors.New("standard output was closed")

// pipe is standard output. A process killed by SIGPIPE would leave clusters behind and files
// unwritten, so a closed pipe ends the command like other signals.
type pipe struct {
	out io.Writer
	end context.CancelCauseFunc
}

func newPipe(out io.Writer, end context.CancelCauseFunc) pipe {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writes fail with EPIPE then
	return pipe{out, end}
}

// Write implements io.Writer.
func (p pipe) Write(data []byte) (int, error) {
	n, err := p.out.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		p.end(errOutputClosed)
	}
	return n, err
}

// outputClosed reports whether a command failed only to print, as "dratest list" before "| head".
func outputClosed(ctx context.Context, err error) bool {
	return errors.Is(err, syscall.EPIPE) && errors.Is(context.Cause(ctx), errOutputClosed)
}
