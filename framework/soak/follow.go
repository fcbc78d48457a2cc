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
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/audit"
)

// source is one kind of object in a namespace.
type source[O audit.Object] struct {
	list  func(ctx context.Context) (items []O, version string, err error)
	watch func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

func pods(client kubernetes.Interface, namespace string) source[*corev1.Pod] {
	api := client.CoreV1().Pods(namespace)
	return source[*corev1.Pod]{func(ctx context.Context) ([]*corev1.Pod, string, error) {
		list, err := api.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, "", err
		}
		return pointers(list.Items), list.ResourceVersion, nil
	}, api.Watch}
}

func claims(client kubernetes.Interface, namespace string) source[*resourceapi.ResourceClaim] {
	api := client.ResourceV1().ResourceClaims(namespace)
	return source[*resourceapi.ResourceClaim]{func(ctx context.Context) ([]*resourceapi.ResourceClaim, string, error) {
		list, err := api.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, "", err
		}
		return pointers(list.Items), list.ResourceVersion, nil
	}, api.Watch}
}

func pointers[T any](items []T) []*T {
	all := make([]*T, 0, len(items))
	for i := range items {
		all = append(all, &items[i])
	}
	return all
}

// follow calls see with every state of the objects, in order, until ctx ends: an informer would apply a new list
// object by object, through mixtures that never existed. listed is the request time of the state's list, zero if it
// is from a watch. States are missed only if a watch cannot continue after the last one and a new list is needed;
// broke is called with the reason and the end of the last watch.
func follow[O audit.Object](ctx context.Context, s source[O], retry *retrier, see func(state map[types.UID]O, listed time.Time), broke func(err error, ended time.Time)) {
	for ctx.Err() == nil {
		var items []O
		var version string
		var asked time.Time
		err := retry.do(ctx, func(ctx context.Context) (err error) {
			asked = time.Now()
			items, version, err = s.list(ctx)
			return err
		}, nil)
		ended := asked
		if err == nil {
			state := map[types.UID]O{}
			for _, o := range items {
				state[o.GetUID()] = o
			}
			see(state, asked)
			ended, err = watchFrom(ctx, s, retry, version, state, see)
		}
		if ctx.Err() != nil {
			return
		}
		broke(err, ended)
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// watchFrom updates the state with successive watches, and returns the end of the last one and why none can follow.
func watchFrom[O audit.Object](ctx context.Context, s source[O], retry *retrier, version string, state map[types.UID]O, see func(map[types.UID]O, time.Time)) (ended time.Time, err error) {
	ended = time.Now()
	for ctx.Err() == nil {
		var w watch.Interface
		err := retry.do(ctx, func(ctx context.Context) (err error) {
			w, err = s.watch(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
			return err
		}, nil)
		if err != nil {
			return ended, err
		}
		began := version
		version, err = drain(ctx, w, version, state, see)
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
func drain[O audit.Object](ctx context.Context, w watch.Interface, version string, state map[types.UID]O, see func(map[types.UID]O, time.Time)) (string, error) {
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
			delete(state, o.GetUID())
		default:
			state[o.GetUID()] = o
		}
		see(state, time.Time{})
	}
}
