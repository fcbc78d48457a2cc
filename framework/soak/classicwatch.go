package soak

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dra-conformance/dratest/framework/audit"
)

// classicWatcher audits a driver that allocates claims itself.
type classicWatcher struct {
	auditor[audit.Classic]

	objects *watcher
	classic *Classic

	mutex sync.Mutex
	looks int
	// held are the claims for which the driver was seen to hold a device.
	held map[string]bool
}

// ClassicCount is what was seen of a driver that allocates claims itself.
type ClassicCount struct {
	// DevicesPerNode is how many there are on each node.
	DevicesPerNode int `json:"devicesPerNode"`
	// Held is for how many claims the driver was seen to hold a device.
	Held int `json:"held"`
	// Looks are those at driver and objects together.
	Looks int `json:"looks"`
}

func newClassicWatcher(classic *Classic, objects *watcher) *classicWatcher {
	w := &classicWatcher{classic: classic, objects: objects, held: map[string]bool{}}
	w.auditor = auditor[audit.Classic]{what: "the driver", ledger: objects.ledger, read: w.readClassic, always: audit.AllocatedHeld, atRest: audit.LeftByClassic}
	return w
}

func (w *classicWatcher) count(s *Summary) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	s.Classic = &ClassicCount{DevicesPerNode: classicDevices, Held: len(w.held), Looks: w.looks}
	if len(w.held) == 0 {
		s.Problems = append(s.Problems, "the driver was not seen to hold a device: the soak shows nothing of it")
	}
}

// readClassic reads what the rules are about. What the driver holds is on disk, also while it
// does not run.
func (w *classicWatcher) readClassic(ctx context.Context) (seen audit.Classic, answered bool, err error) {
	seen.Driver = w.objects.driver
	if seen.Claims, err = w.objects.listClaims(ctx); err != nil {
		return seen, false, err
	}
	if seen.Held, err = w.classic.Driver.process.Held(); err != nil {
		return seen, false, err
	}
	w.objects.ledger.add(audit.HeldTwice(seen.Held))
	if seen.Records, err = w.list(ctx, "classicclaims"); err != nil {
		return seen, false, err
	}
	if seen.Schedulings, err = w.list(ctx, "podschedulings"); err != nil {
		return seen, false, err
	}
	if seen.Pods, err = w.objects.listPods(ctx); err != nil {
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

func (w *classicWatcher) list(ctx context.Context, plural string) ([]unstructured.Unstructured, error) {
	list, err := listed(ctx, w.objects.retry, w.classic.Kind(plural).Namespace(w.objects.namespace).List, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", plural, err)
	}
	return list.Items, nil
}
