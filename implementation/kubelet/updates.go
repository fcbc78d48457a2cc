package kubelet

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// updates queues pods for a status update. None is lost without a receiver, and each is queued
// once.
type updates struct {
	out  chan []types.UID
	wake chan struct{}

	mu   sync.Mutex
	pods sets.Set[types.UID]
}

func newUpdates() *updates {
	return &updates{out: make(chan []types.UID), wake: make(chan struct{}, 1), pods: sets.New[types.UID]()}
}

func (u *updates) add(pods []types.UID) {
	if len(pods) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pods.Insert(pods...)
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

func (u *updates) take() []types.UID {
	u.mu.Lock()
	defer u.mu.Unlock()
	pods := sets.List(u.pods)
	u.pods = sets.New[types.UID]()
	return pods
}

func (u *updates) run(ctx context.Context) {
	for {
		select {
		case <-u.wake:
		case <-ctx.Done():
			return
		}
		select {
		case u.out <- u.take():
		case <-ctx.Done():
			return
		}
	}
}

// Updates returns pods in need of a status update because device health changed. It always returns
// the same channel.
func (m *Manager) Updates() <-chan []types.UID { return m.updates.out }
