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

// neededWrites is the minimum number of writes per pod of a workload. For each pod:
//
//   - its binding and the binding's event, by the scheduler
//   - the Running status, by the (simulated) kubelet
//
// For each claim created for a pod (KEP-4381, KEP-5004):
//
//   - the claim, and its name in the pod's status
//   - adding the finalizer before allocation and removing it afterwards; a claim created by its
//     allocator already has it
//   - the allocation with the first reservation, and the removal of both
//   - the claim's deletion
//
// Actual writes are higher because of pod deletion by kubelets (simulated pods are removed
// immediately) and claim deletion by two controllers; the nominated node in the pod's status before
// claims are written (since 1.35); conflicts; and failed scheduling attempts.
func (w Workload) neededWrites() float64 {
	const pod = 3
	switch w.Claims {
	case TemplateClaims:
		return pod + 7
	case ExtendedClaims:
		return pod + 6
	case SharedClaims:
		// Each pod adds a reservation to its claim; one update removes all of them.
		return pod + 1 + 3*float64(len(w.sharedClaims()))/float64(w.Pods)
	default:
		return pod
	}
}
