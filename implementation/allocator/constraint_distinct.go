package allocator

import "slices"

// distinct is distinctAttribute: all devices have different values.
type distinct struct{ attribute }

// accepts: a type from a newer API can be told from nothing, so that only the first
// device may have it.
func (distinct) accepts(chosen held, v value) bool {
	return v.kind != missing && (len(chosen) == 0 || v.kind != unknown && !slices.Contains(chosen, v))
}

func (distinct) separates() bool { return false }

// bound is the number of different values.
func (distinct) bound(devices []int, _ []value, numbers []int) int {
	different := make(map[int]bool)
	for _, i := range devices {
		different[numbers[i]] = true
	}
	return len(different)
}

func (distinct) key(chosen held) held { return chosen }
