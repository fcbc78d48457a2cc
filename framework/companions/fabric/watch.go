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

package fabric

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/soak"
)

// silence is the longest accepted unavailability of a fabric killed now and then.
const silence = 30 * time.Second

type watcher struct {
	soak.Auditor[audit.Fabric]

	objects *soak.Watcher
	fabric  casefabric.Client
	when    WhenAttached

	mutex             sync.Mutex
	looks, unanswered int
	answered          time.Time
	// keys are the keys of requests with attached devices seen.
	keys map[string]bool
	// local are the claims in use seen with a local device.
	local map[types.UID]bool
}

// Count has statistics of a fabric.
type Count struct {
	// WhenAttached is the handling of pods after an attach.
	WhenAttached WhenAttached `json:"whenAttached"`
	Devices      int          `json:"devices"`
	// Attached is the number of requests with attached devices seen.
	Attached int `json:"attached"`
	// Local is the number of claims in use seen with a local device.
	Local int `json:"local"`
	// Looks are the reads of fabric and claims, Unanswered those without an answer of the fabric.
	Looks      int `json:"looks"`
	Unanswered int `json:"unanswered"`
}

// Watch implements soak.Companion.
func (s *Soak) Watch(objects *soak.Watcher) soak.Outside {
	return newWatcher(s.fabric, s.When, objects)
}

func newWatcher(fabric casefabric.Client, when WhenAttached, objects *soak.Watcher) *watcher {
	w := &watcher{fabric: fabric, when: when, objects: objects, keys: map[string]bool{}, local: map[types.UID]bool{}}
	w.Auditor = soak.Auditor[audit.Fabric]{What: "the fabric", Objects: objects, Read: w.readFabric, Always: audit.Attached, AtRest: fabricAtRest}
	return w
}

// fabricAtRest checks the rules valid without pods.
func fabricAtRest(f audit.Fabric) []audit.Violation {
	return append(audit.AttachedForNobody(f), audit.PublishedAttached(f)...)
}

// Count implements soak.Outside.
func (w *watcher) Count() (seen fmt.Stringer, problems []string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	c := Count{WhenAttached: w.when, Devices: fabricDevices, Attached: len(w.keys), Local: len(w.local), Looks: w.looks, Unanswered: w.unanswered}
	if len(w.keys) == 0 {
		problems = append(problems, "no device was seen to be attached: the soak shows nothing of the fabric")
	}
	if w.when == Reschedule && len(w.local) == 0 {
		problems = append(problems, "no pod used a device local to its node: the soak did not exercise the drivers")
	}
	return c, problems
}

// String is the line for people.
func (c Count) String() string {
	return fmt.Sprintf("fabric of %d devices (%s): attached for %d requests, local to the nodes of %d claims, looked at %d times, did not answer %d times",
		c.Devices, c.WhenAttached, c.Attached, c.Local, c.Looks, c.Unanswered)
}

// Run starts the silence timer, and audits until ctx ends.
func (w *watcher) Run(ctx context.Context) {
	w.mutex.Lock()
	w.answered = time.Now()
	w.mutex.Unlock()
	w.Auditor.Run(ctx)
}

// readFabric reads the input of the rules. A fabric without an answer is an error only after silence.
func (w *watcher) readFabric(ctx context.Context) (seen audit.Fabric, answered bool, err error) {
	seen.Driver = w.objects.Driver
	if seen.Claims, err = w.objects.ListClaims(ctx); err != nil {
		return seen, false, err
	}
	devices, err := w.fabric.Devices(ctx)
	if !w.hear(err == nil) {
		return seen, false, fmt.Errorf("the fabric does not answer for %s: %w", silence, err)
	}
	if err != nil {
		return seen, false, nil
	}
	if seen.Slices, err = w.objects.ListSlices(ctx); err != nil {
		return seen, false, err
	}
	if seen.Pods, err = w.objects.ListPods(ctx); err != nil {
		return seen, false, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, d := range devices {
		seen.Devices = append(seen.Devices, d)
		if d.Phase == "Attached" && !d.Elsewhere {
			w.keys[d.Key] = true
		}
	}
	for _, u := range audit.FabricUses(seen) {
		if u.Local {
			w.local[u.Claim] = true
		}
	}
	return seen, true, nil
}

// hear counts a read, and reports whether the silence is acceptable.
func (w *watcher) hear(answered bool) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.looks++
	if answered {
		w.answered = time.Now()
		return true
	}
	w.unanswered++
	return time.Since(w.answered) < silence
}
