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

package classic

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/soak/load"
)

// resourceClass is the name of the soak's ResourceClass.
const resourceClass = "soak"

// soakKind is a kind of units with claims allocated by the driver: each claim is for one device of a node.
type soakKind struct {
	load.Kind
	immediate bool
	// parameters are the claims' parameters, with the keys of dra-classic-driver.
	parameters map[string]string
}

func soakKinds() []soakKind {
	return []soakKind{
		// Claims from templates, allocated for the nodes of their pods.
		{Kind: load.Kind{Name: "delayed"}},
		{Kind: load.Kind{Name: "pair", Pair: true}},
		// Allocated wherever a device is free.
		{Kind: load.Kind{Name: "immediate"}, immediate: true},
		// One claim used by two pods at the same time, then one after the other.
		{Kind: load.Kind{Name: "shared", Shared: true}, parameters: map[string]string{"userLimit": "2"}},
		{Kind: load.Kind{Name: "one-at-a-time", Shared: true}},
		// Allocated also where no device is free.
		{Kind: load.Kind{Name: "optional"}, parameters: map[string]string{"optional": "true"}},
		{Kind: load.Kind{Name: "slow"}, parameters: map[string]string{"allocateTakes": "2s"}},
		// Allocated at the third attempt.
		{Kind: load.Kind{Name: "failing"}, parameters: map[string]string{"failAllocate": "2"}},
	}
}

// loadKinds returns the kinds with the configurations of their class and claims.
func loadKinds() []load.Kind {
	class := classicdra.ClassConfig(resourceClass)
	var all []load.Kind
	for _, k := range soakKinds() {
		k.Use, k.Class = "classic", &class
		config := map[string]any{}
		if k.immediate {
			config["allocationMode"] = "Immediate"
		}
		if len(k.parameters) > 0 {
			config["parametersRef"] = map[string]any{"kind": "ConfigMap", "name": k.Name}
		}
		if len(config) > 0 {
			claim := classicdra.ClaimConfig(config)
			k.Claim = &claim
		}
		all = append(all, k.Kind)
	}
	return all
}

// parameters returns the claims' parameter objects.
func parameters() []*corev1.ConfigMap {
	var all []*corev1.ConfigMap
	for _, k := range soakKinds() {
		if len(k.parameters) > 0 {
			all = append(all, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: k.Name}, Data: k.parameters})
		}
	}
	return all
}
