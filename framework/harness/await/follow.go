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

package await

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// Source lists and watches objects of one kind.
type Source struct {
	kind runtime.Object
	from cache.ListerWatcher
	last *trouble
}

// trouble is the last error of a source, nil if the last request succeeded. Informers retry
// without reporting it.
type trouble struct {
	mu  sync.Mutex
	err error
}

func (l *trouble) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // which explains the error
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *trouble) get() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// objectAPI is the common part of typed clients of one kind of object.
type objectAPI[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// NewSource returns the objects matching a field selector; an empty one matches all.
func NewSource[L runtime.Object](client kubernetes.Interface, kind runtime.Object, api objectAPI[L], selector string) Source {
	last := &trouble{}
	return Source{kind, cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			list, err := api.List(ctx, options)
			last.note(ctx, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			w, err := api.Watch(ctx, options)
			last.note(ctx, err)
			return w, err
		},
	}, client), last}
}

// Pod is the source of one pod.
func Pod(client kubernetes.Interface, namespace, name string) Source {
	return NewSource(client, &corev1.Pod{}, client.CoreV1().Pods(namespace), Named(name))
}

// Claim is the source of one claim.
func Claim(client kubernetes.Interface, namespace, name string) Source {
	return NewSource(client, &resourceapi.ResourceClaim{}, client.ResourceV1().ResourceClaims(namespace), Named(name))
}

// Slices is the source of a driver's ResourceSlices.
func Slices(client kubernetes.Interface, driver string) Source {
	return NewSource(client, &resourceapi.ResourceSlice{}, client.ResourceV1().ResourceSlices(), OfDriver(driver))
}

// Named selects the object of a name.
func Named(name string) string {
	return fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
}

// EventsAbout selects the events about an object.
func EventsAbout(object string) string {
	return fields.OneTermEqualSelector("involvedObject.name", object).String()
}

// OfDriver selects the ResourceSlices of a driver.
func OfDriver(driver string) string {
	return fields.OneTermEqualSelector(resourceapi.ResourceSliceSelectorDriver, driver).String()
}

// Follow passes each state of the objects of a source to look, starting with the current one,
// until look returns true or an error. It reconnects when the watch breaks, and fails when an
// object is deleted. If ctx ends, the error is its cause.
func Follow[O runtime.Object](ctx context.Context, s Source, look func(O) (bool, error)) error {
	_, err := watchtools.UntilWithSync(ctx, s.from, s.kind, nil, func(e watch.Event) (bool, error) {
		o, ok := e.Object.(O)
		if !ok {
			return false, fmt.Errorf("expected a %T, got a %T", o, e.Object)
		}
		if e.Type == watch.Deleted {
			return false, errors.New("it was deleted")
		}
		return look(o)
	})
	return withTrouble(withCause(ctx, err), s.last.get())
}

// All passes all objects of a source to look, and again after each change, until it returns
// true.
func All[O runtime.Object](ctx context.Context, s Source, look func([]O) bool) error {
	var store cache.Store
	check := func() bool {
		var all []O
		for _, o := range store.List() {
			all = append(all, o.(O))
		}
		return look(all)
	}
	_, err := watchtools.UntilWithSync(ctx, s.from, s.kind, func(synced cache.Store) (bool, error) {
		store = synced
		return check(), nil
	}, func(watch.Event) (bool, error) { return check(), nil })
	return withTrouble(withCause(ctx, err), s.last.get())
}

// Events passes the objects of a source to begin, then each event to see, until one of them
// returns an error or ctx ends.
func (s Source) Events(ctx context.Context, begin func(all []any) error, see func(watch.Event) (bool, error)) error {
	_, err := watchtools.UntilWithSync(ctx, s.from, s.kind, func(store cache.Store) (bool, error) {
		return false, begin(store.List())
	}, see)
	return withTrouble(withCause(ctx, err), s.last.get())
}
