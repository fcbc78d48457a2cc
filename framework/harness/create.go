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

package harness

import (
	"context"
	"reflect"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Create creates objects in the case's namespace, if they are namespaced, with dratest's label.
// They are removed when the case ends.
func (t *T) Create(all ...Object) {
	ginkgo.GinkgoHelper()
	for _, o := range all {
		t.own(o)
		t.NoError(t.fit(o), "create %s", describe.Object(o))
		// Before the request: it may create the object and still fail.
		t.Track(o)
		t.Step("create %s", describe.Object(o))
		t.NoError(t.objects.Create(t.ctx, o), "create %s", describe.Object(o))
	}
}

// TryCreate creates an object as a dry run.
func (t *T) TryCreate(ctx context.Context, o Object) error {
	if err := t.fit(o); err != nil {
		return err
	}
	return t.objects.Create(ctx, o, ctrlclient.DryRunAll)
}

// fit merges a pod with the template of the run, or that of the driver under test, and adds a
// declared configuration to claims.
func (t *T) fit(o Object) error {
	switch o := o.(type) {
	case *corev1.Pod:
		template := t.env.PodTemplate
		if s := t.env.Plan.Target.DriverUnderTest; s != nil {
			template = s.Workload.Pod
		}
		merged, err := objects.Templated(o, template)
		if err != nil {
			return err
		}
		*o = *merged
		if t.env.SetAside != "" && t.meta.HoldsNode {
			o.Spec.Tolerations = append(o.Spec.Tolerations, corev1.Toleration{Key: spec.SetAsideTaint, Operator: corev1.TolerationOpExists})
		}
	case *resourceapi.ResourceClaim:
		t.configure(&o.Spec.Devices)
	case *resourceapi.ResourceClaimTemplate:
		t.configure(&o.Spec.Spec.Devices)
	}
	return nil
}

// configure adds the case's configuration for the driver under test to a claim without any.
func (t *T) configure(claim *resourceapi.DeviceClaim) {
	s := t.env.Plan.Target.DriverUnderTest
	if s == nil || len(claim.Config) > 0 {
		return
	}
	if parameters := s.ConfigFor(t.meta); parameters != nil {
		t.Note("claims have the configuration %s", parameters)
		opaque := &resourceapi.OpaqueDeviceConfiguration{Driver: s.Driver, Parameters: runtime.RawExtension{Raw: parameters}}
		claim.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: opaque}}}
	}
}

// own sets the case's namespace and dratest's label.
func (t *T) own(o Object) {
	if !clusterScoped(o) {
		o.SetNamespace(t.Namespace)
	}
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[spec.LabelManagedBy] = spec.ManagedBy
	o.SetLabels(labels)
}

// Get reads the current state of an object.
func (t *T) Get(o Object) {
	ginkgo.GinkgoHelper()
	t.NoError(t.objects.Get(t.ctx, o.GetName(), o.GetNamespace(), o), "get %s", describe.Object(o))
}

// Delete deletes an object and does not wait until it is gone.
func (t *T) Delete(o Object, options ...DeleteOption) {
	ginkgo.GinkgoHelper()
	t.NoError(t.objects.Delete(t.ctx, o, options...), "delete %s", describe.Object(o))
}

// Track removes an object when the case ends.
func (t *T) Track(o Object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.created = append(t.created, o)
}

// tracked returns copies, because the case may still change the objects.
func (t *T) tracked() []Object {
	t.mu.Lock()
	defer t.mu.Unlock()
	copies := make([]Object, 0, len(t.created))
	for _, o := range t.created {
		bare := reflect.New(reflect.TypeOf(o).Elem()).Interface().(Object)
		if untyped, ok := bare.(*unstructured.Unstructured); ok {
			untyped.SetGroupVersionKind(o.GetObjectKind().GroupVersionKind())
		}
		bare.SetName(o.GetName())
		bare.SetNamespace(o.GetNamespace())
		copies = append(copies, bare)
	}
	return copies
}
