package load

// Slots are the kinds whose devices may all come from one pool of a fabric, in which they
// are alike (KEP-5007).
func Slots() []Kind { return []Kind{OneDevice, TwoDevices, TwoClaims, TwoPods} }

// SlotAttributes are what the devices of that pool have to have.
func SlotAttributes() map[string]string { return map[string]string{use: plain} }

// NewHeld returns a generator of units whose pods do not end by themselves, as none does on
// simulated nodes: a third is deleted at some moment from its creation, the others a while
// after they run.
func NewHeld(seed int64, kinds []Kind) *Generator {
	g := New(seed, kinds)
	g.held = true
	return g
}
