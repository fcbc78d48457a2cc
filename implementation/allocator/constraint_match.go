package allocator

// matching is matchAttribute: all devices have the same value.
type matching struct{ attribute }

// accepts: a type from a newer API can be told from nothing, so that only the first
// device may have it.
func (matching) accepts(chosen held, v value) bool {
	return v.kind != missing && (len(chosen) == 0 || v.kind != unknown && v == chosen[0])
}

func (matching) separates() bool { return true }

func (matching) bound(devices []int, _ []value, _ []int) int { return len(devices) }

func (matching) key(chosen held) held { return chosen[:min(1, len(chosen))] }
