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
	t.Unprepare(t.One(t.Devices(1)[0]), "a claim that was never prepared")
	never := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "never", UID: uuid.NewUUID()}}
	t.Unprepare(never, "a claim that never was")
}}
