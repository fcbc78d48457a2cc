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

package perf

// neededWrites are those of Writes, by pod, without which a pod of a workload does not come and
// go as it should. Of each pod they are
//
//   - its binding and the event of it, by the scheduler
//   - its status when it runs, by the (simulated) kubelet
//
// and of each claim that is made for a pod (KEP-4381, KEP-5004)
//
//   - the claim, and its name in the pod's status
//   - the finalizer, which comes before the allocation and goes after it: a claim that is made by
//     who allocates it comes with it
//   - the allocation and the first reservation together, and their end together
//   - the claim's deletion
//
// What there is above them: that kubelets delete pods, which are gone at once in a round, and two
// controllers a claim; the node that the scheduler means to take, in the pod's status, before it
// writes what belongs to claims (since 1.35); conflicts, and pods that were tried in vain.
func (w Workload) neededWrites() float64 {
	const pod = 3
	switch w.Claims {
	case TemplateClaims:
		return pod + 7
	case ExtendedClaims:
		return pod + 6
	case SharedClaims:
		// Each pod is added to those that use the claim; they are taken from it together.
		return pod + 1 + 3*float64(len(w.sharedClaims()))/float64(w.Pods)
	default:
		return pod
	}
}
