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
	"bytes"
	"context"
	"slices"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/limit"
)

// Object is a Kubernetes object.
type Object = ctrlclient.Object

// DeleteOption is an option of T.Delete.
type DeleteOption = ctrlclient.DeleteOption

// GracePeriod is the time of a deleted pod's processes to terminate by themselves.
func GracePeriod(d time.Duration) DeleteOption {
	return ctrlclient.GracePeriodSeconds(int64(d.Seconds()))
}

// Objects reads and writes objects of any kind.
type Objects interface {
	Create(ctx context.Context, o Object, options ...ctrlclient.CreateOption) error
	Get(ctx context.Context, name, namespace string, o Object) error
	Delete(ctx context.Context, o Object, options ...DeleteOption) error
	ExecInPod(ctx context.Context, namespace, pod, container string, command []string, stdout, stderr *bytes.Buffer) error
}

// apiObjects is Objects on an API server.
type apiObjects struct {
	ctrlclient.Client
	config *rest.Config
}

func (a apiObjects) Get(ctx context.Context, name, namespace string, o Object) error {
	return a.Client.Get(ctx, ctrlclient.ObjectKey{Namespace: namespace, Name: name}, o)
}

// maxOutput is the size limit of the output of a command in a pod, in bytes.
const maxOutput = 64 << 20

func (a apiObjects) ExecInPod(ctx context.Context, namespace, pod, container string, command []string, stdout, stderr *bytes.Buffer) error {
	return kube.Exec(ctx, a.config, namespace, pod, container, command, limit.Writer(stdout, maxOutput), stderr)
}

// Kinds of unstructured cluster-scoped objects.
const (
	ResourceClass            = "ResourceClass"
	CustomResourceDefinition = "CustomResourceDefinition"
)

func clusterScoped(o Object) bool {
	switch o := o.(type) {
	case *resourceapi.DeviceClass, *resourceapi.ResourceSlice, *resourceapi.DeviceTaintRule, *alphaapi.ResourcePoolStatusRequest, *corev1.Namespace, *corev1.Node,
		*rbacv1.ClusterRole, *rbacv1.ClusterRoleBinding, *schedulingv1.PriorityClass, *admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding,
		*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration:
		return true
	case *unstructured.Unstructured:
		return slices.Contains([]string{ResourceClass, CustomResourceDefinition, "DeviceTaintRule"}, o.GetKind())
	}
	return false
}
