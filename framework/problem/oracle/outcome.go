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

// Outcome is the final state of a problem's objects in a cluster, read after the scheduler had
// cause to look at each waiting pod again.
type Outcome struct {
	Pods []Pod
	// Claims are all claims, including those created for pods. A claim of Problem.Allocated that is
	// missing here is unchanged.
	Claims []resourceapi.ResourceClaim
	// Namespaces are those whose labels matter: in one without the label for admin access, no claim
	// may have it.
	Namespaces []corev1.Namespace
}

// Pod is the relevant part of a pod.
type Pod struct {
	Namespace, Name string
	UID             types.UID
	// Claims are the names of its claims, in the order of its spec.
	Claims []string
	// Node is empty while the pod waits.
	Node string
}

// Verdict is the result of Judge.
type Verdict struct {
	Violations []Violation
	// Undecided are questions without an answer: waiting pods and earlier alternatives.
	Undecided []string
}

// Violation is a promise of the API that an outcome breaks.
type Violation struct {
	// Promise is the ID of a requirement (suites/requirements).
	Promise string
	// Cites is the field of k8s.io/api or the section of a KEP with the promise.
	Cites string
	// Object is the pod or claim.
	Object string
	// What is the fact that breaks the promise.
	What string
}

// String is one line.
func (v Violation) String() string {
	return v.Object + ": " + v.What + " (" + v.Promise + "; " + v.Cites + ")"
}
