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

package classic

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/soak"
)

type watcher struct {
	soak.Auditor[classicdra.Observed]

	objects *soak.Watcher
	soak    *Soak

	mutex sync.Mutex
	looks int
	// held are the claims seen with a held device.
	held map[string]bool
}

// Count has statistics of a driver that allocates claims itself.
type Count struct {
	// DevicesPerNode is how many there are on each node.
	DevicesPerNode int `json:"devicesPerNode"`
	// Held is the number of claims seen with a held device.
	Held int `json:"held"`
	// Looks are those at driver and objects together.
	Looks int `json:"looks"`
}

// Watch implements soak.Companion.
func (s *Soak) Watch(objects *soak.Watcher) soak.Outside { return newWatcher(s, objects) }

func newWatcher(s *Soak, objects *soak.Watcher) *watcher {
	objects.Unpublished = true
	w := &watcher{soak: s, objects: objects, held: map[string]bool{}}
	w.Auditor = soak.Auditor[classicdra.Observed]{What: "the driver", Objects: objects, Read: w.readClassic, Always: classicdra.AllocatedHeld, AtRest: classicdra.Left}
	return w
}

// Count implements soak.Outside.
func (w *watcher) Count() (seen fmt.Stringer, problems []string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if len(w.held) == 0 {
		problems = append(problems, "the driver was not seen to hold a device: the soak shows nothing of it")
	}
	return Count{DevicesPerNode: soakDevices, Held: len(w.held), Looks: w.looks}, problems
}

// String is the line for people.
func (c Count) String() string {
	return fmt.Sprintf("driver with %d devices on each node: held one for %d claims, looked at %d times", c.DevicesPerNode, c.Held, c.Looks)
}

// readClassic reads the input of the rules. Held devices are on disk, even while the driver is down.
func (w *watcher) readClassic(ctx context.Context) (seen classicdra.Observed, answered bool, err error) {
	seen.Driver = w.objects.Driver
	if seen.Claims, err = w.objects.ListClaims(ctx); err != nil {
		return seen, false, err
	}
	if seen.Held, err = w.soak.driver.process.Held(); err != nil {
		return seen, false, err
	}
	w.objects.Findings(classicdra.HeldTwice(seen.Held))
	if seen.Records, err = w.list(ctx, "classicclaims"); err != nil {
		return seen, false, err
	}
	if seen.Schedulings, err = w.list(ctx, "podschedulings"); err != nil {
		return seen, false, err
	}
	if seen.Pods, err = w.objects.ListPods(ctx); err != nil {
		return seen, false, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.looks++
	for uid := range seen.Held {
		w.held[uid] = true
	}
	return seen, true, nil
}

func (w *watcher) list(ctx context.Context, plural string) ([]unstructured.Unstructured, error) {
	list, err := soak.List(ctx, w.objects, w.soak.kind(plural).Namespace(w.objects.Namespace).List)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", plural, err)
	}
	return list.Items, nil
}
