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

func (s *script) source() source[*corev1.Pod] {
	return source[*corev1.Pod]{func(context.Context) ([]*corev1.Pod, string, error) {
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
		follow(ctx, s.source(), &retrier{}, func(state map[types.UID]*corev1.Pod, listed time.Time) {
			states = append(states, fmt.Sprintf("%v %t", slices.Sorted(maps.Keys(state)), listed.IsZero()))
		}, func(err error, _ time.Time) {
			broken = append(broken, err.Error())
			if len(broken) == 3 {
				cancel()
			}
		})
		if got, want := strings.Join(states, ", "), "[a] false, [a b] true, [b] true, [c] false"; got != want {
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

// A pod created and deleted between a watch and the next list is gone as well.
func TestTrackerMissesNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTracker()
		tr.add("early", "")
		tr.created("early")
		time.Sleep(time.Second)
		asked := time.Now()
		time.Sleep(time.Second)
		tr.add("late", "")
		tr.created("late")
		tr.see(nil, asked)
		if !tr.lives["early"].gone || tr.lives["late"].gone {
			t.Errorf("early %+v, late %+v", tr.lives["early"], tr.lives["late"])
		}
		late := podAt("late", "1")
		late.Status.Phase = corev1.PodRunning
		tr.see(map[types.UID]*corev1.Pod{"late": late}, time.Time{})
		time.Sleep(time.Second)
		if quiet := time.Since(tr.lastChange()); quiet != time.Second {
			t.Errorf("quiet for %s", quiet)
		}
		tr.see(nil, time.Time{})
		if l := tr.lives["late"]; !l.gone || l.started.IsZero() || !l.ended.IsZero() {
			t.Errorf("late %+v", l)
		}
	})
}
