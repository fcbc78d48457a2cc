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
	"hash/fnv"
	"maps"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

func skipOf(p spec.Plan, id string) *spec.Skip {
	for _, e := range p.Entries {
		if e.Meta.ID == id {
			return e.Skip
		}
	}
	return nil
}

// setUp creates the case's clients, namespace, nodes and driver. Failures here are the
// environment's, not the case's.
func (t *T) setUp() {
	ginkgo.GinkgoHelper()
	t.SetBlocked("the environment kept the case from starting")
	open := t.env.Connect
	if open == nil {
		open = connect
	}
	client, others, err := open(t.env.Config)
	t.NoError(err, "connect to the cluster")
	t.Client, t.objects = client, others
	made := NewNamespace(t.env.Plan.Target.DriverUnderTest)
	made.Annotations["dra-conformance.github.io/case"] = t.meta.ID
	namespace, err := t.Client.CoreV1().Namespaces().Create(t.ctx, made, metav1.CreateOptions{})
	t.NoError(err, "create namespace")
	t.Namespace = namespace.Name
	startRecorder(t)
	_, err = t.Client.CoreV1().ServiceAccounts(t.Namespace).Create(t.ctx, objects.DefaultAccount(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatalf("create the namespace's service account: %v", err)
	}
	t.Nodes = pickNodes(t.env.nodes(t.meta), t.meta.Needs.LeastNodes(), t.meta.ID)
	where := "without a node"
	if len(t.Nodes) > 0 {
		where = "on " + strings.Join(t.Nodes, ", ")
	}
	t.Step(namespaceStep+"%s, %s", t.Namespace, where)
	t.Driver = t.newDriver(false)
	t.SetBlocked("")
}

// NewNamespace is a namespace for pods of cases. The vendor of a driver under test can add labels and annotations, and
// replace the level of Pod Security.
func NewNamespace(s *spec.DriverUnderTest) *corev1.Namespace {
	m := metav1.ObjectMeta{GenerateName: NamespacePrefix, Annotations: map[string]string{}}
	if s != nil {
		m.Labels = s.Namespaces.Labels
		maps.Copy(m.Annotations, s.Namespaces.Annotations)
	}
	return spec.Namespace(m)
}

// newDriver returns the driver of the case. It starts a simulated one unless an earlier process
// of the case did.
func (t *T) newDriver(running bool) Driver {
	if t.env.Driver == nil {
		return nil
	}
	return t.env.Driver(t, running)
}

// pickNodes spreads cases over the nodes, each case always to the same ones.
func pickNodes(workers []string, n int, id string) []string {
	if n == 0 {
		return nil
	}
	if len(workers) <= n {
		return workers
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	first := int(h.Sum32() % uint32(len(workers)))
	picked := make([]string, 0, n)
	for i := range n {
		picked = append(picked, workers[(first+i)%len(workers)])
	}
	return picked
}
