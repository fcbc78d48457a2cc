package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/tools/cache"
)

// withSignals ends when the process is told to.
func withSignals(ctx context.Context) context.Context {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}

// waitFor waits until the objects that existed at the start are known.
func waitFor(ctx context.Context, informer cache.SharedIndexInformer) bool {
	return cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
}
