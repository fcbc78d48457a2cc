package simulation

import "math"

// bound is what the nodes cost at least. Each kind alone needs so many of the groups
// that serve it best for their cost, and all kinds need so many devices.
func (g *growing) bound() int64 {
	var bound int64
	devices := 0
	for i := range g.kinds {
		k := &g.kinds[i]
		if cheapest, ok := g.cheapest(k); ok {
			bound = max(bound, roundUp(float64(len(k.pods))*cheapest))
		}
		if g.shape(k.pods[0]) != "" { // Claims that pods share are not counted.
			devices += len(k.pods) * k.devices
		}
	}
	if g.sharesDevices() { // They may do without those of new nodes.
		devices = 0
	}
	cheapest := math.Inf(1)
	for _, group := range g.groups {
		if published := group.published(); published > 0 {
			cheapest = min(cheapest, float64(group.cost())/float64(published))
		}
	}
	if devices > 0 {
		bound = max(bound, roundUp(float64(devices)*cheapest))
	}
	return bound
}

// sharesDevices says whether there are devices that more than one node reaches.
func (g *growing) sharesDevices() bool {
	slices, err := g.manager.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return true // Nothing is known of them.
	}
	for _, slice := range slices {
		if slice.Spec.NodeName == nil {
			return true
		}
	}
	return false
}

// cheapest is what a pod of a kind costs at least, if that is known.
func (g *growing) cheapest(k *kind) (cost float64, ok bool) {
	if k.failed {
		return 0, false
	}
	cost = math.Inf(1)
	for i, group := range g.groups {
		most := k.fits[i]
		switch {
		case most == 0:
			continue
		case k.plain && group.plain():
		case k.devices == 0:
			return 0, false
		default:
			// What the first pod has may keep more from the second than it needs.
			most = max(most, group.published()/k.devices)
		}
		cost = min(cost, float64(group.cost())/float64(most))
	}
	return cost, true
}

// roundUp leaves room for what floating point adds.
func roundUp(x float64) int64 { return int64(math.Ceil(x - 1e-6)) }

func (g *growing) costOf(counts []int) int64 {
	var cost int64
	for i, n := range counts {
		cost += int64(n) * g.groups[i].cost()
	}
	return cost
}
