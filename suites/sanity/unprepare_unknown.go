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

package sanity

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/dra-conformance/dratest/framework/spec"
)

// unprepareUnknown is about: kubeletplugin.DRAPlugin.
var unprepareUnknown = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-unknown",
	Checks:   "Unprepare of a claim never prepared, or never created, succeeds.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-idempotent"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	t.Unprepare(t.One(t.Devices(1)[0]), "a claim never prepared")
	never := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "never", UID: uuid.NewUUID()}}
	t.Unprepare(never, "a claim that never existed")
}}
