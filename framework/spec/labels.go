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

// LabelManagedBy marks every object that dratest creates, with the value
// ManagedBy: what carries it may be removed by dratest, nothing else.
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = "dratest"

	// LabelFabric is on what dra-composable-controller makes, with the name of its fabric:
	// it does not label as dratest does.
	LabelFabric = "dra-conformance.github.io/fabric"

	// SystemNamespace is where what belongs to all cases runs. It is removed last:
	// without the test driver's agents, pods that use a claim cannot end.
	SystemNamespace = "dratest-system"

	// EnvBindingTimeout is the environment variable by which a scheduler's pod
	// tells, as "20s", how long the scheduler waits for binding conditions: the
	// configuration where that stands cannot be read from outside.
	EnvBindingTimeout = "DRATEST_BINDING_TIMEOUT"
	// EnvDefaultsProfile is that by which it names the one of its profiles in which nothing
	// is set.
	EnvDefaultsProfile = "DRATEST_DEFAULTS_PROFILE"
)
