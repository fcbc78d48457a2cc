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
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// interval is the polling interval.
	interval = 50 * time.Millisecond
	// closing bounds the cleanup.
	closing = 15 * time.Second
	// consumer is the name of the pod in claim reservations.
	consumer = "consumer"
)

// world is the state shared by all checks of a run.
type world struct {
	Options
	NodeAccess

	conn      *grpc.ClientConn
	trace     trace
	versions  []spec.GRPCVersion // served by the driver
	namespace string
	// pod never runs: claims are reserved for it, as in a kubelet's calls.
	pod *corev1.Pod
	// class has the configurations of Options.Class.
	class []resourceapi.DeviceClassConfiguration
	// refused is a configuration known to be rejected by the driver.
	refused json.RawMessage
	// withheld maps unusable devices to the failed check before.
	withheld map[pools.ID]string
	// awaited is set after the driver had its time to publish devices.
	awaited bool
	// silent is the failed check since the driver stopped responding; empty while it responds.
	silent string
}

// open connects to the driver and creates the namespace with the pod.
func open(ctx context.Context, access NodeAccess, o Options) (_ *world, err error) {
	w := &world{Options: o, NodeAccess: access, withheld: map[pools.ID]string{}}
	// Once without gRPC, as gRPC would hide the cause.
	first, err := access.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to driver %s: %w", o.Driver, err)
	}
	_ = first.Close()
	// The address is only a name; NodeAccess connects to the socket.
	w.conn, err = grpc.NewClient("passthrough:///driver", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithChainUnaryInterceptor(w.trace.intercept), grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return access.Dial(ctx) }))
	if err != nil {
		return nil, fmt.Errorf("connect to driver %s: %w", o.Driver, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(context.WithoutCancel(ctx)))
		}
	}()
	if w.versions, err = w.served(ctx); err != nil {
		return nil, err
	}
	if o.Class != "" {
		class, err := o.Client.ResourceV1().DeviceClasses().Get(ctx, o.Class, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get device class: %w", err)
		}
		w.class = class.Spec.Config
	}
	return w, w.populate(ctx)
}

// served returns the plugin API versions implemented by the driver, by an empty call in each.
func (w *world) served(ctx context.Context) ([]spec.GRPCVersion, error) {
	var versions []spec.GRPCVersion
	for _, version := range []spec.GRPCVersion{spec.GRPCv1, spec.GRPCv1beta1} {
		err := w.answers(ctx, version)
		switch status.Code(err) {
		case codes.Unimplemented:
		case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
			return nil, fmt.Errorf("driver %s does not answer: %w", w.Driver, err)
		default:
			versions = append(versions, version)
		}
	}
	if len(versions) == 0 {
		return nil, fmt.Errorf("driver %s serves neither v1 nor v1beta1 of the plugin API at this socket: is it the driver's plugin socket, not the registration socket?", w.Driver)
	}
	return versions, nil
}

// answers makes an empty call in one version, even after a broken connection.
func (w *world) answers(ctx context.Context, version spec.GRPCVersion) error {
	ctx, cancel := context.WithTimeout(ctx, w.CallTimeout)
	defer cancel()
	// Otherwise gRPC would wait for a second or more before reconnecting.
	w.conn.ResetConnectBackoff()
	_, err := w.plugin(version).NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{})
	return err
}

func (w *world) plugin(version spec.GRPCVersion) drapb.DRAPluginClient {
	if version == spec.GRPCv1beta1 {
		return drapbv1beta1.V1Beta1ClientWrapper{DRAPluginClient: drapbv1beta1.NewDRAPluginClient(w.conn)}
	}
	return drapb.NewDRAPluginClient(w.conn)
}

// populate creates the namespace and the pod. A scheduling gate keeps the pod from kubelets, and
// its image from being pulled.
func (w *world) populate(ctx context.Context) error {
	labels := map[string]string{spec.LabelManagedBy: spec.ManagedBy}
	own := map[string]string{resourceapi.DRAAdminNamespaceLabelKey: "true"}
	maps.Copy(own, w.Namespace.Labels)
	namespace := spec.Namespace(metav1.ObjectMeta{GenerateName: "dratest-sanity-", Labels: own, Annotations: w.Namespace.Annotations})
	made, err := w.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("make a namespace for claims: %w", err)
	}
	w.namespace = made.Name
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: consumer, Labels: labels}}
	if _, err := w.Client.CoreV1().ServiceAccounts(w.namespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make a service account: %w", err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: consumer, Labels: labels}, Spec: corev1.PodSpec{
		ServiceAccountName: consumer, AutomountServiceAccountToken: ptr.To(false),
		SchedulingGates: []corev1.PodSchedulingGate{{Name: "dra-conformance.github.io/never"}},
		Containers:      []corev1.Container{{Name: "main", Image: "dra-conformance.github.io/never-runs"}},
	}}
	if w.Adapt != nil {
		if pod, err = w.Adapt(pod); err != nil {
			return err
		}
	}
	if w.pod, err = w.Client.CoreV1().Pods(w.namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create a pod to reserve claims for: %w", err)
	}
	return nil
}

// close removes populate's objects. Claims are gone by then.
func (w *world) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	err := w.conn.Close()
	if w.namespace == "" {
		return err
	}
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	// Not left to the namespace, as without controllers its content stays.
	return errors.Join(err,
		gone(w.Client.CoreV1().Pods(w.namespace).Delete(ctx, consumer, now)),
		gone(w.Client.CoreV1().ServiceAccounts(w.namespace).Delete(ctx, consumer, now)),
		gone(w.Client.CoreV1().Namespaces().Delete(ctx, w.namespace, metav1.DeleteOptions{})))
}

func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// await polls a condition for the driver's PublishTimeout.
func (t *T) await(is func(context.Context) bool) bool { return t.awaitFor(t.PublishTimeout, is) }

// awaitFor polls a condition with this timeout.
func (t *T) awaitFor(limit time.Duration, is func(context.Context) bool) bool {
	return wait.PollUntilContextTimeout(t.ctx, interval, limit, true, func(ctx context.Context) (bool, error) {
		return is(ctx), nil
	}) == nil
}
