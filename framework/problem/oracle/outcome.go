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

package oracle

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Outcome is the final state of a problem's objects, after the scheduler has retried each pending
// pod.
type Outcome struct {
	Pods []Pod
	// Claims has all claims, including generated ones. A claim of Problem.Allocated missing here is
	// unchanged.
	Claims []resourceapi.ResourceClaim
	// Failed reports whether a binding failure condition was true: its allocation was released.
	Failed bool
	// Namespaces has the namespaces of claims: only those with the label for admin access allow it.
	Namespaces []corev1.Namespace
}

// Pod is the relevant part of a pod.
type Pod struct {
	Namespace, Name string
	UID             types.UID
	// Claims are the names of its claims, in the order of its spec.
	Claims []string
	// Node is empty for a pending pod.
	Node string
	// Unprepared is a claim whose binding conditions were not true when the pod was bound, or empty.
	Unprepared string
	// Extended is the pod's status.
	Extended *corev1.PodExtendedResourceClaimStatus
}

// Verdict is the result of Judge.
type Verdict struct {
	Violations []Violation
	// Undecided lists open questions about pending pods and earlier alternatives.
	Undecided []string
}

// Violation is a broken promise of the API.
type Violation struct {
	// Promise is the ID of a requirement (suites/requirements).
	Promise string
	// Cites is the source of the promise: a field of k8s.io/api or a section of a KEP.
	Cites string
	// Object is the pod or claim.
	Object string
	// What is the evidence.
	What string
}

// String formats the violation in one line.
func (v Violation) String() string {
	return v.Object + ": " + v.What + " (" + v.Promise + "; " + v.Cites + ")"
}
