package run

import (
	"context"
	"time"
)

const (
	// watchInterval is how often the cluster is asked whether it is there.
	watchInterval = 10 * time.Second
	// watchPatience is how long it may not answer: longer than a restart of the
	// API server takes, which a case may cause.
	watchPatience = time.Minute
)

// watch asks check regularly and returns a channel that gets the last error once
// there has been nothing else for watchPatience: a run on a cluster that is gone
// would go on until its time limit.
func watch(ctx context.Context, check func(context.Context) error) <-chan error {
	gone := make(chan error, 1)
	go func() {
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			err := check(ctx)
			switch {
			case err == nil:
				last = time.Now()
			case ctx.Err() == nil && time.Since(last) >= watchPatience:
				gone <- err
				return
			}
		}
	}()
	return gone
}
