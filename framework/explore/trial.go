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

package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

const (
	// informed lets the scheduler's informers see the devices before pods are created.
	informed = 100 * time.Millisecond
	// patience is the timeout for a scheduling attempt of each pod. All problems share the scheduler, and
	// kube-scheduler may search for devices for 10 s per attempt.
	patience = 3 * time.Minute
	// cleanup is the timeout for deleting a problem's objects, on a busy machine.
	cleanup = 2 * time.Minute
	// requestsAtOnce limits concurrent requests for one problem.
	requestsAtOnce = 6
)

// errRefused means the API server rejected an object.
var errRefused = errors.New("refused by the API server")

// trial runs a problem on a cluster once.
type trial struct {
	client    kubernetes.Interface
	namespace *corev1.Namespace
	pods      *podWatch
	id        string
	// problem has the objects as returned by the API server, once created.
	problem *problem.Problem
	// evicted has the pods deleted by the controller for device taints.
	evicted map[string]bool
	// binder reports binding conditions; nil if no device has any.
	binder *binder
	// outcome is the final state; reasons has the scheduler's messages for pending pods.
	outcome oracle.Outcome
	reasons map[string]string
}

// run creates the objects of a problem, waits for the final state, and deletes them.
func (t *trial) run(ctx context.Context) (outcome oracle.Outcome, err error) {
	defer func() {
		err = errors.Join(err, t.remove(ctx))
	}()
	if err := t.create(ctx); err != nil {
		return outcome, err
	}
	if err := pause(ctx, informed); err != nil {
		return outcome, err
	}
	for _, pod := range t.problem.Pods {
		_, err := t.client.CoreV1().Pods(t.namespace.Name).Create(ctx, podObject(pod, t.id, t.namespace.Name), metav1.CreateOptions{})
		if err := failed("pod", pod.Name, err); err != nil {
			return outcome, err
		}
	}
	// A pod evicted after the others were decided leaves them more devices.
	for evicted := -1; err == nil && evicted < len(t.evicted); {
		var pods map[string]*corev1.Pod
		if pods, err = t.settle(ctx); err == nil {
			evicted = len(t.evicted)
			outcome, err = t.read(ctx, pods)
		}
	}
	return outcome, err
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// failed wraps the error of a request, if any, with errRefused if the object is invalid.
func failed(kind, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return fmt.Errorf("%w: %s %s: %w", errRefused, kind, name, err)
	}
	return fmt.Errorf("create %s %s: %w", kind, name, err)
}

// create creates all objects except pods.
func (t *trial) create(ctx context.Context) error {
	var group errgroup.Group
	group.SetLimit(requestsAtOnce)
	resources, claims := t.client.ResourceV1(), t.client.ResourceV1().ResourceClaims(t.namespace.Name)
	p := t.problem
	for i := range p.Nodes {
		group.Go(func() error {
			_, err := t.client.CoreV1().Nodes().Create(ctx, nodeObject(&p.Nodes[i]), metav1.CreateOptions{})
			return failed("node", p.Nodes[i].Name, err)
		})
	}
	for i := range p.Classes {
		group.Go(func() error { return stored(ctx, resources.DeviceClasses(), "device class", &p.Classes[i]) })
	}
	for i := range p.Slices {
		group.Go(func() error { return stored(ctx, resources.ResourceSlices(), "resource slice", &p.Slices[i]) })
	}
	for i := range p.Rules {
		group.Go(func() error { return stored(ctx, resources.DeviceTaintRules(), "device taint rule", &p.Rules[i]) })
	}
	for i := range p.Claims {
		group.Go(func() error { return stored(ctx, claims, "claim", &p.Claims[i]) })
	}
	for i := range p.Allocated {
		group.Go(func() error {
			claim := &p.Allocated[i]
			status := claim.Status
			if err := stored(ctx, claims, "claim", claim); err != nil {
				return err
			}
			claim.Status = status
			updated, err := claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
			if err == nil {
				*claim = *updated
			}
			return failed("allocated claim", claim.Name, err)
		})
	}
	return group.Wait()
}

// creator is a typed client.
type creator[O any] interface {
	Create(ctx context.Context, object *O, options metav1.CreateOptions) (*O, error)
}

// stored creates an object and replaces it with the response.
func stored[O any, P interface {
	*O
	metav1.Object
}](ctx context.Context, client creator[O], kind string, object P) error {
	created, err := client.Create(ctx, object, metav1.CreateOptions{})
	if err == nil {
		*object = *created
	}
	return failed(kind, object.GetName(), err)
}

// read returns the final state.
func (t *trial) read(ctx context.Context, pods map[string]*corev1.Pod) (oracle.Outcome, error) {
	t.reasons = map[string]string{}
	outcome := oracle.Outcome{}
	outcome.Namespaces = append(outcome.Namespaces, *t.namespace)
	claims, err := t.claims(ctx)
	if err != nil {
		return outcome, fmt.Errorf("read claims: %w", err)
	}
	outcome.Claims = claims
	// A pod evicted after the scheduler's decision has left its claims already.
	left, err := t.client.CoreV1().Pods(t.namespace.Name).List(ctx, metav1.ListOptions{LabelSelector: label + "=" + t.id})
	if err != nil {
		return outcome, fmt.Errorf("read pods: %w", err)
	}
	for _, pod := range t.problem.Pods {
		object := pods[pod.Name]
		if object != nil && !slices.ContainsFunc(left.Items, func(p corev1.Pod) bool { return p.UID == object.UID }) {
			if err := t.gone(pod.Name); err != nil {
				return outcome, err
			}
		}
		if t.evicted[pod.Name] {
			continue
		}
		for _, c := range object.Status.Conditions {
			if c.Type == corev1.PodScheduled && object.Spec.NodeName == "" {
				t.reasons[pod.Name] = c.Message
			}
		}
		outcome.Pods = append(outcome.Pods, oracle.Pod{
			Namespace: t.namespace.Name, Name: pod.Name, UID: object.UID, Claims: pod.Claims, Node: object.Spec.NodeName,
			Unprepared: t.unprepared(object, claims), Extended: object.Status.ExtendedResourceClaimStatus,
		})
	}
	outcome.Failed = t.binder != nil && len(t.binder.failed) > 0
	return outcome, nil
}

// claims returns the claims of the problem. Those that the scheduler makes for extended resources do not have the label,
// and are named after their pods.
func (t *trial) claims(ctx context.Context) ([]resourceapi.ResourceClaim, error) {
	list, err := t.client.ResourceV1().ResourceClaims(t.namespace.Name).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(c resourceapi.ResourceClaim) bool { return !strings.HasPrefix(c.Name, t.id+"-") }), nil
}

// remove deletes all objects of the problem, pods first.
func (t *trial) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	ours := metav1.ListOptions{LabelSelector: label + "=" + t.id}
	now := int64(0)
	claims := t.client.ResourceV1().ResourceClaims(t.namespace.Name)
	var errs []error
	if err := t.client.CoreV1().Pods(t.namespace.Name).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, ours); err != nil {
		errs = append(errs, fmt.Errorf("delete pods: %w", err))
	}
	left, err := t.claims(ctx)
	if err != nil {
		errs = append(errs, fmt.Errorf("delete claims: %w", err))
	}
	var group errgroup.Group
	group.SetLimit(requestsAtOnce)
	for _, deletion := range deletions(t.client, ours) {
		group.Go(func() error { return deletion(ctx) })
	}
	for i := range left {
		group.Go(func() error {
			claim := &left[i]
			if len(claim.Finalizers) > 0 {
				_, err := claims.Patch(ctx, claim.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
				if err != nil && !apierrors.IsNotFound(err) {
					return err
				}
			}
			if err := claims.Delete(ctx, claim.Name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
				return err
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		errs = append(errs, fmt.Errorf("delete the objects of problem %s: %w", t.id, err))
	}
	return errors.Join(errs...)
}

// deletions delete the selected cluster-scoped objects.
func deletions(client kubernetes.Interface, selected metav1.ListOptions) []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) error {
			return client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, selected)
		},
		func(ctx context.Context) error {
			return client.ResourceV1().ResourceSlices().DeleteCollection(ctx, metav1.DeleteOptions{}, selected)
		},
		func(ctx context.Context) error {
			return client.ResourceV1().DeviceClasses().DeleteCollection(ctx, metav1.DeleteOptions{}, selected)
		},
		func(ctx context.Context) error { // Not every cluster serves them.
			err := client.ResourceV1().DeviceTaintRules().DeleteCollection(ctx, metav1.DeleteOptions{}, selected)
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		},
	}
}
