package state

import "k8s.io/apimachinery/pkg/types"

// graveyard remembers the claims deleted last. Without it, an answer of the API
// server that is handled after the deletion would bring a claim back, and no event
// would ever remove it again. UIDs are never used twice.
type graveyard struct {
	uids map[types.UID]bool
	// ring has them in the order of deletion, next is where the oldest one is.
	ring []types.UID
	next int
}

// graves is far more than API calls can be on their way at the same time.
const graves = 4096

func newGraveyard() graveyard { return graveyard{uids: make(map[types.UID]bool)} }

func (g *graveyard) has(uid types.UID) bool { return g.uids[uid] }

func (g *graveyard) add(uid types.UID) {
	if g.uids[uid] {
		return
	}
	g.uids[uid] = true
	if len(g.ring) < graves {
		g.ring = append(g.ring, uid)
		return
	}
	delete(g.uids, g.ring[g.next])
	g.ring[g.next] = uid
	g.next = (g.next + 1) % graves
}
