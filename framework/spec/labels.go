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

package spec

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LabelManagedBy marks every object created by dratest, with the value ManagedBy: dratest removes only such objects.
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// PodSecurity is the label of a namespace's level of Pod Security, PodSecurityWarn that of its warnings.
	PodSecurity     = "pod-security.kubernetes.io/enforce"
	PodSecurityWarn = "pod-security.kubernetes.io/warn"
	ManagedBy       = "dratest"

	// LabelFabric is on objects of dra-composable-controller, with the name of its fabric, instead of dratest's label.
	LabelFabric = "dra-conformance.github.io/fabric"

	// SystemNamespace is the namespace shared by all cases. It is removed last: without the test driver's agents, pods
	// with a claim cannot terminate.
	SystemNamespace = "dratest-system"

	// SetAsideTaint is the key of the taint of a node that is set aside for cases with Meta.HoldsNode.
	SetAsideTaint = "dra-conformance.github.io/set-aside"

	// EnvBindingTimeout is an environment variable in a scheduler's pod with its binding timeout, as "20s", since the
	// configuration cannot be read from outside.
	EnvBindingTimeout = "DRATEST_BINDING_TIMEOUT"
	// EnvDefaultsProfile is an environment variable in a scheduler's pod with the name of the profile with nothing set.
	EnvDefaultsProfile = "DRATEST_DEFAULTS_PROFILE"
)

// Namespace returns a namespace of dratest with the name, labels and annotations of m. Pod Security admits all pods unless
// m has its label: pods of cases have no security context, and those on nodes are privileged.
func Namespace(m metav1.ObjectMeta) *corev1.Namespace {
	labels := map[string]string{PodSecurity: "privileged"}
	maps.Copy(labels, m.Labels)
	labels[LabelManagedBy] = ManagedBy
	m.Labels = labels
	return &corev1.Namespace{ObjectMeta: m}
}
