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

package upgrades

import (
	"context"
	"fmt"
	"io"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// environment is the cluster for a fault.
type environment struct {
	client   kubernetes.Interface
	machines []clusters.Machine
}

func environmentOf(ctx context.Context, s run.Series) (g environment, err error) {
	name := s.Options.Cluster.Name
	kubeconfig, err := s.Parts.Clusters.Kubeconfig(name)
	if err != nil {
		return g, err
	}
	config, err := testbed.ClientConfig(kubeconfig, "")
	if err != nil {
		return g, err
	}
	if g.client, err = kube.NewForConfig(config); err != nil {
		return g, fmt.Errorf("use the kubeconfig %s: %w", kubeconfig, err)
	}
	g.machines, err = s.Parts.Clusters.Machines(ctx, name)
	return g, err
}

// on runs a script on the node with this name suffix.
func (g environment) on(ctx context.Context, node string, input io.Reader, script string) error {
	for _, m := range g.machines {
		if strings.HasSuffix(m.String(), "-"+node) {
			_, err := m.Run(ctx, input, "sh", "-c", script)
			return err
		}
	}
	return fmt.Errorf("the cluster has no node %s", node)
}

// forgetPrepared deletes the state of a case's driver. Missing state is no error.
func forgetPrepared(ctx context.Context, g environment) error {
	return g.on(ctx, "worker2", nil, "rm -f /var/run/cdi/*driver-rolling*")
}

// beforeKubelet is a command run by a node before it starts a kubelet.
func (g environment) beforeKubelet(ctx context.Context, node, command string) error {
	unit := strings.NewReader("[Service]\nExecStartPre=" + command + "\n")
	return g.on(ctx, node, unit, "cat >/etc/systemd/system/kubelet.service.d/90-broken.conf && systemctl daemon-reload")
}

func loseCheckpoint(ctx context.Context, g environment) error {
	const checkpoint = "/var/lib/kubelet/dra_manager_state"
	return g.beforeKubelet(ctx, "worker", "/bin/mv "+checkpoint+" "+checkpoint+".of-another-version")
}

func keepKubelet(ctx context.Context, g environment) error {
	return g.beforeKubelet(ctx, "worker2", "/bin/false")
}

// forgetful is a policy removing the annotation from claims created by a scheduler.
const forgetful = "forgetful-scheduler"

func forgetAnnotation(ctx context.Context, g environment) error {
	api := g.client.AdmissionregistrationV1()
	_, err := api.MutatingAdmissionPolicies().Create(ctx, forgetfulPolicy(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	binding := &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: forgetful},
		Spec:       admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: forgetful},
	}
	_, err = api.MutatingAdmissionPolicyBindings().Create(ctx, binding, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func restoreAnnotation(ctx context.Context, g environment) error {
	api := g.client.AdmissionregistrationV1()
	if err := api.MutatingAdmissionPolicyBindings().Delete(ctx, forgetful, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err := api.MutatingAdmissionPolicies().Delete(ctx, forgetful, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

func forgetfulPolicy() *admissionv1.MutatingAdmissionPolicy {
	return &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: forgetful},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			FailurePolicy:      ptr.To(admissionv1.Fail),
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{resourceapi.GroupName}, APIVersions: []string{"*"}, Resources: []string{"resourceclaims"}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{Name: "scheduler", Expression: "request.userInfo.username == 'system:kube-scheduler'"}},
			Mutations: []admissionv1.Mutation{{
				PatchType: admissionv1.PatchTypeJSONPatch,
				JSONPatch: &admissionv1.JSONPatch{
					Expression: "[JSONPatch{op: 'remove', path: '/metadata/annotations/' + jsonpatch.escapeKey('" + resourceapi.ExtendedResourceClaimAnnotation + "')}]",
				},
			}},
		},
	}
}
