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

package follow

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// again is the pause before a new list.
const again = 500 * time.Millisecond

// Object is an API object.
type Object interface {
	metav1.Object
	runtime.Object
}

// Source is one kind of object.
type Source[O Object] struct {
	List  func(ctx context.Context) (items []O, version string, err error)
	Watch func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// list is a list of objects.
type list interface {
	metav1.ListInterface
	runtime.Object
}

// client is the part of a typed client that follows need.
type client[L list] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// From returns the source of a typed client's objects, of those that the options select.
func From[O Object, L list](api client[L], selected metav1.ListOptions) Source[O] {
	return Source[O]{func(ctx context.Context) ([]O, string, error) {
		list, err := api.List(ctx, selected)
		if err != nil {
			return nil, "", err
		}
		items := make([]O, 0, meta.LenList(list))
		err = meta.EachListItem(list, func(o runtime.Object) error {
			item, ok := o.(O)
			if !ok {
				return fmt.Errorf("the list has a %T", o)
			}
			items = append(items, item)
			return nil
		})
		return items, list.GetResourceVersion(), err
	}, func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		options.LabelSelector, options.FieldSelector = selected.LabelSelector, selected.FieldSelector
		return api.Watch(ctx, options)
	}}
}

// State is a state of the objects.
type State[O Object] struct {
	// Objects are valid until see returns.
	Objects map[types.UID]O
	// Changed is the object that differs from the state before, also if it is deleted; none after a list.
	Changed O
	// Listed is the request time of the state's list, zero if it is from a watch.
	Listed time.Time
}

// Follower calls functions for what happens to the objects of a source.
type Follower[O Object] struct {
	Source Source[O]
	// Do makes a request, and repeats it as long as it should be.
	Do func(ctx context.Context, request func(context.Context) error) error
	// See is called with every state, in order.
	See func(State[O])
	// Broke is called if a watch cannot continue after the last one and a new list is needed: states may have been
	// missed since the end of the last watch.
	Broke func(err error, ended time.Time)
}

// Run follows the objects until ctx ends.
func (f Follower[O]) Run(ctx context.Context) {
	for ctx.Err() == nil {
		var items []O
		var version string
		var asked time.Time
		err := f.Do(ctx, func(ctx context.Context) (err error) {
			asked = time.Now()
			items, version, err = f.Source.List(ctx)
			return err
		})
		ended := asked
		if err == nil {
			state := State[O]{Objects: map[types.UID]O{}, Listed: asked}
			for _, o := range items {
				state.Objects[o.GetUID()] = o
			}
			f.See(state)
			ended, err = f.watchFrom(ctx, version, state.Objects)
		}
		if ctx.Err() != nil {
			return
		}
		f.Broke(err, ended)
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// watchFrom updates the objects with successive watches, and returns the end of the last one and why none can follow.
func (f Follower[O]) watchFrom(ctx context.Context, version string, objects map[types.UID]O) (ended time.Time, err error) {
	ended = time.Now()
	for ctx.Err() == nil {
		var w watch.Interface
		err := f.Do(ctx, func(ctx context.Context) (err error) {
			w, err = f.Source.Watch(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
			return err
		})
		if err != nil {
			return ended, err
		}
		began := version
		version, err = f.drain(ctx, w, version, objects)
		w.Stop()
		if err == nil || version != began { // else it was refused
			ended = time.Now()
		}
		if err != nil {
			return ended, err
		}
	}
	return ended, nil
}

// connectionLost is the cause in client-go's error for a watch's lost connection.
const connectionLost = "ClientWatchDecoding"

// drain applies the events of one watch until it ends; the next one can continue at the returned version, unless
// there is an error.
func (f Follower[O]) drain(ctx context.Context, w watch.Interface, version string, objects map[types.UID]O) (string, error) {
	for {
		var event watch.Event
		open := false
		select {
		case <-ctx.Done():
		case event, open = <-w.ResultChan():
		}
		if !open {
			return version, nil
		}
		if event.Type == watch.Error {
			err := apierrors.FromObject(event.Object)
			if apierrors.HasStatusCause(err, connectionLost) {
				return version, nil
			}
			return version, err
		}
		o, ok := event.Object.(O)
		if !ok {
			return version, fmt.Errorf("the watch sent a %T", event.Object)
		}
		version = o.GetResourceVersion()
		switch event.Type {
		case watch.Bookmark:
			continue
		case watch.Deleted:
			delete(objects, o.GetUID())
		default:
			objects[o.GetUID()] = o
		}
		f.See(State[O]{Objects: objects, Changed: o})
	}
}
