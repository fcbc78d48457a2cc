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
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

func podAt(name, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: version}}
}

// script is a source with scripted lists and watches; a watch ends after its events.
type script struct {
	lists   [][]*corev1.Pod
	watches [][]watch.Event
	// from are the start versions of watches.
	from []string
}

func (s *script) source() Source[*corev1.Pod] {
	return Source[*corev1.Pod]{func(context.Context) ([]*corev1.Pod, string, error) {
		if len(s.lists) == 0 {
			return nil, "", errors.New("no list any more")
		}
		list := s.lists[0]
		s.lists = s.lists[1:]
		return list, "10", nil
	}, func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
		if len(s.watches) == 0 {
			return nil, errors.New("no watch any more")
		}
		s.from = append(s.from, o.ResourceVersion)
		w := watch.NewFakeWithChanSize(10, false)
		for _, e := range s.watches[0] {
			w.Action(e.Type, e.Object)
		}
		s.watches = s.watches[1:]
		w.Stop()
		return w, nil
	}}
}

func once(ctx context.Context, request func(context.Context) error) error { return request(ctx) }

func TestFollowShowsEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{
			lists: [][]*corev1.Pod{{podAt("a", "9")}, {podAt("c", "20")}},
			watches: [][]watch.Event{
				{{Type: watch.Added, Object: podAt("b", "11")}, {Type: watch.Bookmark, Object: podAt("", "12")}},
				{{Type: watch.Deleted, Object: podAt("a", "13")}, {Type: watch.Error, Object: &metav1.Status{Message: "too old", Code: 410}}},
			},
		}
		var states, broken []string
		ctx, cancel := context.WithCancel(t.Context())
		Follower[*corev1.Pod]{
			Source: s.source(),
			Do:     once,
			See: func(state State[*corev1.Pod]) {
				changed := ""
				if state.Changed != nil {
					changed = " by " + state.Changed.Name
				}
				states = append(states, fmt.Sprintf("%v %t%s", slices.Sorted(maps.Keys(state.Objects)), state.Listed.IsZero(), changed))
			},
			Broke: func(err error, _ time.Time) {
				broken = append(broken, err.Error())
				if len(broken) == 3 {
					cancel()
				}
			},
		}.Run(ctx)
		if got, want := strings.Join(states, ", "), "[a] false, [a b] true by b, [b] true by a, [c] false"; got != want {
			t.Errorf("states %s, want %s", got, want)
		}
		if got, want := strings.Join(s.from, " "), "10 12"; got != want {
			t.Errorf("watched from %s, want %s", got, want)
		}
		if got, want := strings.Join(broken, ", "), "too old, no watch any more, no list any more"; got != want {
			t.Errorf("broken by %s, want %s", got, want)
		}
	})
}

// A connection lost in the middle of an event is an error of the watch, and the next watch continues.
func TestWatchGoesOnAfterALostConnection(t *testing.T) {
	lost := &metav1.Status{Message: "unable to decode an event from the watch stream", Code: 500, Details: &metav1.StatusDetails{
		Causes: []metav1.StatusCause{{Type: connectionLost}},
	}}
	w := watch.NewFakeWithChanSize(2, false)
	w.Add(podAt("a", "11"))
	w.Error(lost)
	f := Follower[*corev1.Pod]{See: func(State[*corev1.Pod]) {}}
	version, err := f.drain(t.Context(), w, "10", map[types.UID]*corev1.Pod{})
	if version != "11" || err != nil {
		t.Errorf("the next watch is from %s, error %v", version, err)
	}
}
