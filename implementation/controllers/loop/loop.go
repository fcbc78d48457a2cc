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

package loop

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Loop is a work queue with its workers. An item is processed by one worker at a time, and again if
// it was added meanwhile.
type Loop[Item comparable] struct {
	// Queue receives items from handlers.
	Queue  workqueue.TypedRateLimitingInterface[Item]
	synced []cache.DoneChecker
}

// New makes a loop; name labels the queue's metrics.
func New[Item comparable](name string) *Loop[Item] {
	return &Loop[Item]{Queue: workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[Item](), workqueue.TypedRateLimitingQueueConfig[Item]{Name: name})}
}

// Watch adds a handler to an informer. Run waits for both to sync. It returns an error only for a
// stopped informer.
func (l *Loop[Item]) Watch(ctx context.Context, informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) error {
	logger := klog.FromContext(ctx)
	registration, err := informer.AddEventHandlerWithOptions(handler, cache.HandlerOptions{Logger: &logger})
	if err == nil {
		l.synced = append(l.synced, registration.HasSyncedChecker())
	}
	return err
}

// HasSynced reports whether handlers have seen all initial objects.
func (l *Loop[Item]) HasSynced() bool {
	for _, synced := range l.synced {
		if !cache.IsDone(synced) {
			return false
		}
	}
	return true
}

// Sync processes an item and returns the delay until the next time, or 0 to wait for a change.
type Sync[Item comparable] func(context.Context, Item) (time.Duration, error)

// PermanentError is an error without a retry.
type PermanentError struct{ Err error }

// Error implements error.
func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *PermanentError) Unwrap() error { return e.Err }

// Run runs the workers until ctx ends and waits for them. Calls in flight are canceled; a successor
// finds their effects.
func (l *Loop[Item]) Run(ctx context.Context, workers int, sync Sync[Item]) {
	logger := klog.FromContext(ctx)
	logger.Info("Starting controller", "workers", workers)
	defer logger.Info("Controller has stopped")
	running := l.start(ctx, workers, sync)
	defer running.Wait()
	<-ctx.Done()
	l.Queue.ShutDown()
}

func (l *Loop[Item]) start(ctx context.Context, workers int, look Sync[Item]) *sync.WaitGroup {
	var running sync.WaitGroup
	if !cache.WaitFor(ctx, "caches and handlers", l.synced...) {
		return &running
	}
	for range workers {
		running.Go(func() {
			for l.work(ctx, look) {
			}
		})
	}
	return &running
}

// work processes one item and reports whether there may be more.
func (l *Loop[Item]) work(ctx context.Context, look Sync[Item]) bool {
	item, shutdown := l.Queue.Get()
	if shutdown {
		return false
	}
	defer l.Queue.Done(item)
	if ctx.Err() != nil {
		// A successor starts with all objects.
		return true
	}
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "item", item)
	ctx = klog.NewContext(ctx, logger)
	logger.V(5).Info("Looking at")
	again, err := look(ctx, item)
	switch {
	case err == nil:
		l.Queue.Forget(item)
		if again > 0 {
			l.Queue.AddAfter(item, again)
		}
		return true
	case errors.As(err, new(*PermanentError)):
		runtime.HandleErrorWithContext(ctx, err, "Giving up until something changes")
		l.Queue.Forget(item)
		return true
	case apierrors.IsConflict(err):
		logger.V(4).Info("Trying again after a conflict", "err", err)
	case ctx.Err() == nil:
		runtime.HandleErrorWithContext(ctx, err, "Trying again later")
	}
	l.Queue.AddRateLimited(item)
	return true
}

// Events records a component's events until stop is called.
func Events(ctx context.Context, client kubernetes.Interface, component string) (recorder record.EventRecorder, stop func()) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartStructuredLogging(3)
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: component}), broadcaster.Shutdown
}

// Objects is a handler calling changed for each added or updated object, and gone, unless nil, for
// each deleted one.
func Objects[T any](changed, gone func(*T)) cache.ResourceEventHandler {
	return Changes(func(old, updated *T) {
		switch {
		case updated != nil:
			changed(updated)
		case gone != nil:
			gone(old)
		}
	})
}

// Changes is a handler calling changed with an object before and after a change. old is nil for an
// added object, updated for a deleted one.
func Changes[T any](changed func(old, updated *T)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { changed(nil, object.(*T)) },
		UpdateFunc: func(old, object any) { changed(old.(*T), object.(*T)) },
		DeleteFunc: func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			if last, ok := object.(*T); ok {
				changed(last, nil)
			}
		},
	}
}
