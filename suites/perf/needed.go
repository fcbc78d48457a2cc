package perf

// neededWrites are those of Writes, by pod, without which a pod of a workload does not come and
// go as it should. Of each pod they are
//
//   - its binding and the event of it, by the scheduler
//   - its status when it runs, and its deletion, by the (simulated) kubelet
//
// and of each claim that is made for a pod (KEP-4381, KEP-5004)
//
//   - the claim, and its name in the pod's status
//   - the finalizer, which comes before the allocation and goes after it: a claim that is made by
//     who allocates it comes with it
//   - the allocation and the first reservation together, and their end together
//   - the claim's deletion
//
// What there is above them are conflicts, pods that were tried in vain, deletions by two
// controllers, and what is told of pods that wait.
func (w Workload) neededWrites() float64 {
	const pod = 4
	switch w.Claims {
	case TemplateClaims:
		return pod + 7
	case ExtendedClaims:
		return pod + 6
	case SharedClaims:
		// Each pod is added to those that use the claim; they are taken from it together.
		return pod + 1 + 3/float64(w.PodsPerClaim)
	default:
		return pod
	}
}
