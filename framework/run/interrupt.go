package run

import (
	"context"
	"os"
)

// interruptible returns a context that the first signal cancels, and a channel
// that has a value for each further one. stop ends the watching.
func interruptible(ctx context.Context, signals <-chan os.Signal) (_ context.Context, again <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	further := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		first := true
		for {
			select {
			case <-done:
				return
			case <-signals:
				cancel()
				if first {
					first = false
					continue
				}
				select {
				case further <- struct{}{}:
				default: // one is waiting to be noticed already
				}
			}
		}
	}()
	return ctx, further, func() { cancel(); close(done) }
}
