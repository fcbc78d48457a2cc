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

package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/perf"
)

const (
	// class is the name of the ResourceClass and of the DeviceClass.
	class = perf.ClassName
	// parameters is the ConfigMap of claims unsuitable for all nodes.
	parameters = "perf"
	// label of pods and claims marks those created and deleted together.
	label = "perf-classic"
)

func (b *bench) createObjects(ctx context.Context) error {
	resourceClass := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": classicdra.Group + "/" + classicdra.Version, "kind": "ResourceClass", "driverName": driver,
	}}
	resourceClass.SetName(class)
	classes := b.kinds.Resource(schema.GroupVersionResource{Group: classicdra.Group, Version: classicdra.Version, Resource: "resourceclasses"})
	if _, err := classes.Create(ctx, resourceClass, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create resource class: %w", err)
	}
	deviceClass := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Spec: resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{objects.Selector("false")},
		Config:    []resourceapi.DeviceClassConfiguration{classicdra.ClassConfig(class)},
	}}
	if _, err := b.client.ResourceV1().DeviceClasses().Create(ctx, deviceClass, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create device class: %w", err)
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: parameters}, Data: map[string]string{"a": "b"}}
	if _, err := b.client.CoreV1().ConfigMaps(namespace).Create(ctx, config, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create parameters: %w", err)
	}
	return errors.Join(
		b.allow(ctx, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: driverAccount, Namespace: namespace}, classicdra.DriverRules()),
		b.allow(ctx, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: schedulerUser}, classicdra.SchedulerRules()),
		b.countRequests(ctx))
}

func (b *bench) allow(ctx context.Context, subject rbacv1.Subject, rules []rbacv1.PolicyRule) error {
	roles, name := b.client.RbacV1(), "perf-classic:"+subject.Name
	_, err := roles.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
	if err == nil {
		_, err = roles.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: []rbacv1.Subject{subject},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		}, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("give %s its rights: %w", subject.Name, err)
	}
	return nil
}

// claimed is a pod with claims of its own.
type claimed struct {
	pod    *corev1.Pod
	claims []*resourceapi.ResourceClaim
}

// newPod is a pod with so many claims, with parameters in the ConfigMap if named.
func newPod(group, name string, claims int, configMap string) claimed {
	var c claimed
	var names []string
	for i := range claims {
		claim := objects.Claim(fmt.Sprintf("%s-%d", name, i), objects.Request("device", class))
		claim.Labels = map[string]string{label: group}
		if configMap != "" {
			claim.Spec.Devices.Config = append(claim.Spec.Devices.Config,
				classicdra.ClaimConfig(map[string]any{"parametersRef": map[string]any{"kind": "ConfigMap", "name": configMap}}))
		}
		names, c.claims = append(names, claim.Name), append(c.claims, claim)
	}
	c.pod = objects.Pod(name, "none", names...)
	c.pod.Labels = map[string]string{label: group}
	return c
}

// create creates the claims, then the pod, and returns when it began with the pod.
func (b *bench) create(ctx context.Context, c claimed) (began time.Time, err error) {
	for _, claim := range c.claims {
		if _, err := b.client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
			return began, fmt.Errorf("create claim: %w", err)
		}
	}
	began = time.Now()
	if _, err := b.client.CoreV1().Pods(namespace).Create(ctx, c.pod, metav1.CreateOptions{}); err != nil {
		return began, fmt.Errorf("create pod: %w", err)
	}
	return began, nil
}

// remove removes pods with their claims, and waits until the driver has freed all.
func (b *bench) remove(ctx context.Context, group string) error {
	selected := metav1.ListOptions{LabelSelector: label + "=" + group}
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}
	pods, claims := b.client.CoreV1().Pods(namespace), b.client.ResourceV1().ResourceClaims(namespace)
	err := errors.Join(pods.DeleteCollection(ctx, now, selected), claims.DeleteCollection(ctx, metav1.DeleteOptions{}, selected))
	for apierrors.IsTimeout(err) && ctx.Err() == nil { // of many the API server deletes what it can in a minute
		err = errors.Join(pods.DeleteCollection(ctx, now, selected), claims.DeleteCollection(ctx, metav1.DeleteOptions{}, selected))
	}
	if err != nil {
		return fmt.Errorf("delete pods and claims: %w", err)
	}
	left := 0
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		list, err := claims.List(ctx, selected)
		if err != nil {
			return false, err
		}
		left = len(list.Items)
		return left == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait until claims are gone, of which %d are left: %w", left, err)
	}
	return nil
}
