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

package harnesstest

import (
	"bytes"
	"cmp"
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Namespace is the namespace of the case.
const Namespace = harness.NamespacePrefix + "abcde"

// failTime bounds a failing wait.
const failTime = time.Second

// Case is a case on a fake cluster.
type Case struct {
	*harness.T

	Cluster   *fake.Clientset
	lifecycle *harness.Lifecycle
}

// New returns a case on a cluster with these objects, and fills in the rest of meta and env.
func New(t *testing.T, m spec.Meta, env *harness.Env, objects ...runtime.Object) *Case {
	t.Helper()
	m.ID, m.Checks = cmp.Or(m.ID, "area/case"), cmp.Or(m.Checks, "It holds.")
	cluster := fake.NewClientset(append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}})...)
	env.ReportDir = cmp.Or(env.ReportDir, t.TempDir())
	env.RemoveTimeout = cmp.Or(env.RemoveTimeout, failTime)
	env.Connect = func(*rest.Config) (kubernetes.Interface, harness.Objects, error) { return cluster, store{cluster}, nil }
	c := &Case{Cluster: cluster, lifecycle: harness.NewLifecycle(m, env)}
	if failed := c.lifecycle.Resume(t.Context(), Namespace); failed != nil {
		t.Fatal(failed.Text)
	}
	c.lifecycle.Run(t.Context(), time.Minute, func(t *harness.T) { c.T = t })
	return c
}

// Succeeds expects do not to end the case, however slow the machine is.
func (c *Case) Succeeds(t *testing.T, do func()) {
	t.Helper()
	if failed := c.lifecycle.Run(t.Context(), time.Minute, func(*harness.T) { do() }); failed != nil {
		t.Error(failed.Text)
	}
}

// Fails returns how do ends the case within a second, or nil.
func (c *Case) Fails(t *testing.T, do func()) *harness.Failure {
	t.Helper()
	return c.lifecycle.Run(t.Context(), failTime, func(*harness.T) { do() })
}

// End ends the case.
func (c *Case) End(t *testing.T) error {
	t.Helper()
	return c.lifecycle.End(t.Context())
}

// store holds objects of any kind. Pods run at once, on a node matching their selector.
type store struct{ cluster *fake.Clientset }

func resourceOf(o ctrlclient.Object) (schema.GroupVersionResource, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	plural, _ := meta.UnsafeGuessKindToResource(kinds[0])
	return plural, nil
}

func (s store) Create(ctx context.Context, o ctrlclient.Object, _ ...ctrlclient.CreateOption) error {
	if p, ok := o.(*corev1.Pod); ok {
		p.Status.Phase = corev1.PodRunning
		nodes, err := s.cluster.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(p.Spec.NodeSelector).String()})
		if err != nil {
			return err
		}
		for _, n := range nodes.Items {
			p.Spec.NodeName = n.Name
		}
	}
	resource, err := resourceOf(o)
	if err != nil {
		return err
	}
	return s.cluster.Tracker().Create(resource, o.DeepCopyObject(), o.GetNamespace())
}

func (s store) Get(_ context.Context, name, namespace string, o ctrlclient.Object) error {
	resource, err := resourceOf(o)
	if err != nil {
		return err
	}
	_, err = s.cluster.Tracker().Get(resource, namespace, name)
	return err
}

func (s store) Delete(_ context.Context, o ctrlclient.Object, _ ...ctrlclient.DeleteOption) error {
	resource, err := resourceOf(o)
	if err != nil {
		return err
	}
	return s.cluster.Tracker().Delete(resource, o.GetNamespace(), o.GetName())
}

func (store) ExecInPod(context.Context, string, string, string, []string, *bytes.Buffer, *bytes.Buffer) error {
	return nil
}
