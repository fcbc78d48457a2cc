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

package controller_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/metrics"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/client/fake"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
)

func TestMain(m *testing.M) { apitest.Main(m) }

const driverName = "test-driver.example.com"

// devices is a driver with one device on each node.
type devices struct {
	mutex sync.Mutex
	nodes []string
	held  map[string]types.UID
	// limit is the user limit of its allocations.
	limit int32
	fail  map[string]error // by method
	calls []string
	// dead is set after a crash: all calls fail.
	dead atomic.Bool
}

func (d *devices) note(method string, what ...any) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.dead.Load() {
		return errors.New("killed")
	}
	d.calls = append(d.calls, fmt.Sprint(append([]any{method}, what...)...))
	return d.fail[method]
}

func (d *devices) Parameters(_ context.Context, claim *controller.Claim) (any, error) {
	if ref := claim.Config.ParametersRef; ref != nil && ref.Name == "missing" {
		return nil, errors.New(`configmap "missing" not found`)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.fail["parameters"]; err != nil {
		return nil, err
	}
	return "parameters of " + claim.Claim.Name, nil
}

func (d *devices) Allocate(_ context.Context, claim *controller.Claim, node string) (*controller.Allocation, error) {
	if err := d.note("allocate ", node); err != nil {
		return nil, err
	}
	if claim.Parameters != "parameters of "+claim.Claim.Name {
		return nil, fmt.Errorf("got parameters %v", claim.Parameters)
	}
	if !slices.Contains(claim.Claim.Finalizers, driverName+"/deletion-protection") {
		return nil, errors.New("the claim has no finalizer")
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, n := range d.nodes {
		if holder := d.held[n]; holder == claim.Claim.UID || holder == "" && (node == "" || node == n) {
			d.held[n] = claim.Claim.UID
			selector := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{n}}}}}}
			return &controller.Allocation{Devices: []controller.Device{{Pool: n, Device: "d"}}, Nodes: selector, Handle: "handle-" + n, UserLimit: d.limit}, nil
		}
	}
	return nil, errors.New("no device is left")
}

func (d *devices) Deallocate(_ context.Context, record *v1alpha1.ClassicClaim) error {
	if err := d.note("deallocate ", record.Status.ResourceHandle); err != nil {
		return err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for n, uid := range d.held {
		if uid == record.Spec.ClaimUID {
			delete(d.held, n)
		}
	}
	return nil
}

func (d *devices) UnsuitableNodes(_ context.Context, _ *corev1.Pod, claims []*controller.Claim, nodes []string) (map[string][]string, error) {
	if err := d.note("unsuitable"); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	unsuitable := make(map[string][]string)
	for _, claim := range claims {
		for _, n := range nodes {
			if holder := d.held[n]; !slices.Contains(d.nodes, n) || holder != "" && holder != claim.Claim.UID {
				unsuitable[claim.PodClaim] = append(unsuitable[claim.PodClaim], n)
			}
		}
	}
	return unsuitable, nil
}

// failing sets or clears the error of a method.
func (d *devices) failing(method string, err error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.fail[method] = err
}

func (d *devices) give(node string, to types.UID) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.held[node] = to
}

func (d *devices) called() []string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return slices.Clone(d.calls)
}

func (d *devices) holders() map[string]types.UID {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	held := make(map[string]types.UID)
	for n, uid := range d.held {
		held[n] = uid
	}
	return held
}

// cluster is an API server with the controller of a driver.
type cluster struct {
	*apitest.Cluster
	classic *fake.Client
	driver  *devices
}

// story has the device class "example" for a resource class of the driver.
func story(t *testing.T, tell func(*cluster), objects ...runtime.Object) {
	t.Helper()
	apitest.Story(t, func(c *apitest.Cluster) {
		classic, err := fake.New(&v1alpha1.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: "rc"}, DriverName: driverName})
		c.Must(err)
		tell(&cluster{c, classic, &devices{nodes: []string{"a", "b"}, held: map[string]types.UID{}, fail: map[string]error{}}})
	}, append(objects, deviceClass())...)
}

func (c *cluster) start() {
	c.Helper()
	c.Start(func(ctx context.Context, factory informers.SharedInformerFactory, registry metrics.KubeRegistry) (apitest.Controller, error) {
		ctl, err := controller.New(ctx, driverName, c.driver, c, c.classic, factory)
		if err == nil {
			ctl.Register(registry.MustRegister)
		}
		return ctl, err
	})
}

// restart replaces a possibly crashed controller.
func (c *cluster) restart() {
	c.Helper()
	c.Stop()
	c.driver.dead.Store(false)
	c.start()
}

func (c *cluster) claim(name string) *resourceapi.ResourceClaim {
	c.Helper()
	claim, err := c.ResourceV1().ResourceClaims("ns").Get(c.Ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.Must(err)
	return claim
}

func (c *cluster) record(name string) *v1alpha1.ClassicClaim {
	c.Helper()
	record, err := c.classic.ClassicClaims("ns").Get(c.Ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.Must(err)
	return record
}

// node returns where a claim is allocated.
func (c *cluster) node(name string) string {
	c.Helper()
	claim := c.claim(name)
	if claim == nil || claim.Status.Allocation == nil {
		return ""
	}
	return claim.Status.Allocation.Devices.Results[0].Pool
}

// schedule creates or changes the PodScheduling of a pod.
func (c *cluster) schedule(pod, selected string, potential ...string) {
	c.Helper()
	spec := v1alpha1.PodSchedulingSpec{SelectedNode: selected, PotentialNodes: potential}
	client := c.classic.PodSchedulings("ns")
	old, err := client.Get(c.Ctx, pod, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: pod, UID: c.pod(pod).UID}
		_, err = client.Create(c.Ctx, &v1alpha1.PodScheduling{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: pod, OwnerReferences: []metav1.OwnerReference{owner}}, Spec: spec}, metav1.CreateOptions{})
	} else if err == nil {
		old.Spec = spec
		_, err = client.Update(c.Ctx, old, metav1.UpdateOptions{})
	}
	c.Must(err)
	synctest.Wait()
}

func (c *cluster) pod(name string) *corev1.Pod {
	c.Helper()
	pod, err := c.CoreV1().Pods("ns").Get(c.Ctx, name, metav1.GetOptions{})
	c.Must(err)
	return pod
}

// free drops the reservations of a claim, like Kubernetes' controller.
func (c *cluster) free(name string) {
	c.Helper()
	claim := c.claim(name)
	claim.Status.ReservedFor = nil
	_, err := c.ResourceV1().ResourceClaims("ns").UpdateStatus(c.Ctx, claim, metav1.UpdateOptions{})
	c.Must(err)
	synctest.Wait()
}

func deviceClass() *resourceapi.DeviceClass {
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "example"}}
	class.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: "false"}}}
	class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: config("ClassConfig", `,"resourceClassName":"rc"`)}}
	return class
}

// otherClass is a device class for another driver's resource class, made by createOther.
func otherClass() *resourceapi.DeviceClass {
	class := deviceClass()
	class.Name = "other"
	class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: config("ClassConfig", `,"resourceClassName":"other"`)}}
	return class
}

func (c *cluster) createOther() {
	c.Helper()
	_, err := c.classic.ResourceClasses().Create(c.Ctx, &v1alpha1.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: "other"}, DriverName: "other"}, metav1.CreateOptions{})
	c.Must(err)
}

func config(kind, fields string) resourceapi.DeviceConfiguration {
	opaque := &resourceapi.OpaqueDeviceConfiguration{Driver: v1alpha1.GroupName}
	opaque.Parameters.Raw = []byte(`{"apiVersion":"classic.dra-conformance.github.io/v1alpha1","kind":"` + kind + `"` + fields + `}`)
	return resourceapi.DeviceConfiguration{Opaque: opaque}
}

// newClaim has the fields of a ClaimConfig, for example `,"allocationMode":"Immediate"`.
func newClaim(name, fields string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "example"}}}
	claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: config("ClaimConfig", fields)}}
	return claim
}

const immediate = `,"allocationMode":"Immediate"`

// newPod uses claims by their names, in entries of the same names.
func newPod(name string, claims ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: claim, ResourceClaimName: &claim})
	}
	return pod
}
