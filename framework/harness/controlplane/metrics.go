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

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/metrics"
	"github.com/dra-conformance/dratest/framework/spec"
)

// metricsReader is the case's service account with the right to read metrics.
const metricsReader = "metrics-reader"

// served are the metrics ports of components, by the label of their pods.
//
//nolint:gochecknoglobals // a table
var served = []struct {
	label, component string
	port             int
}{
	{"kube-scheduler", spec.Scheduler, 10259},
	{"kube-controller-manager", spec.Controllers, 10257},
	{"dra-controller-manager", spec.Controllers, 10257},
}

// WaitMetric waits until a metric of the scheduler (spec.Scheduler) or the controllers
// (spec.Controllers) meets a condition, and returns it: the sum of all series with these labels in
// all replicas. what describes the condition.
func WaitMetric(t *harness.T, component, name string, labels map[string]string, what string, ok func(value float64) bool) (value float64) {
	ginkgo.GinkgoHelper()
	token := metricsToken(t)
	t.Poll(fmt.Sprintf("%s of the %s to be %s", metrics.Describe(name, labels), component, what), func(ctx context.Context) (bool, string, error) {
		families, err := componentMetrics(ctx, t, component, token)
		if err != nil {
			return false, "", err
		}
		value = 0
		for _, f := range families {
			v, _ := metrics.Value(f[name], labels)
			value += v
		}
		return ok(value), fmt.Sprintf("%g", value), nil
	})
	return value
}

// Metric returns the current value.
func Metric(t *harness.T, component, name string, labels map[string]string) float64 {
	ginkgo.GinkgoHelper()
	return WaitMetric(t, component, name, labels, "served", func(float64) bool { return true })
}

// componentMetrics are the metrics of all pods of a component.
func componentMetrics(ctx context.Context, t *harness.T, component, token string) ([]metrics.Families, error) {
	var all []metrics.Families
	for _, s := range served {
		if s.component != component {
			continue
		}
		pods, err := t.Client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=" + s.label})
		if err != nil {
			return nil, fmt.Errorf("list the pods of %s: %w", s.label, err)
		}
		for i := range pods.Items {
			families, err := metrics.Component(ctx, t.Env().Config, t.Client, &pods.Items[i], s.port, token)
			if err != nil {
				return nil, err
			}
			all = append(all, families)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no pod of it can be seen")
	}
	return all, nil
}

// metricsToken returns a token with the right to read metrics, and nothing else.
func metricsToken(t *harness.T) string {
	ginkgo.GinkgoHelper()
	accounts := t.Client.CoreV1().ServiceAccounts(t.Namespace)
	if _, err := accounts.Get(t.Context(), metricsReader, metav1.GetOptions{}); apierrors.IsNotFound(err) {
		createReader(t)
	}
	request, err := accounts.CreateToken(t.Context(), metricsReader, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	t.NoError(err, "get a token for reading metrics")
	return request.Status.Token
}

// createReader creates the account and its rights.
func createReader(t *harness.T) {
	ginkgo.GinkgoHelper()
	name := strings.Join([]string{t.Namespace, metricsReader}, ".")
	t.Create(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: metricsReader}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: metricsReader, Namespace: t.Namespace}},
		})
}
