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

package kube

import (
	"errors"
	"net/http"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	admissionregistrationv1 "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	appsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	batchv1 "k8s.io/client-go/kubernetes/typed/batch/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	flowcontrolv1 "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	rbacv1 "k8s.io/client-go/kubernetes/typed/rbac/v1"
	resourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"
	resourcev1alpha3 "k8s.io/client-go/kubernetes/typed/resource/v1alpha3"
	schedulingv1 "k8s.io/client-go/kubernetes/typed/scheduling/v1"
	schedulingv1beta1 "k8s.io/client-go/kubernetes/typed/scheduling/v1beta1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// client has dratest's API groups only. kubernetes.NewForConfig links all 50 groups, which made dratest 4 MB larger.
type client struct {
	kubernetes.Interface // nil: a group without a method below panics

	discovery         *discovery.DiscoveryClient
	admission         *admissionregistrationv1.AdmissionregistrationV1Client
	apps              *appsv1.AppsV1Client
	authorization     *authorizationv1.AuthorizationV1Client
	batch             *batchv1.BatchV1Client
	coordination      *coordinationv1.CoordinationV1Client
	core              *corev1.CoreV1Client
	flowcontrol       *flowcontrolv1.FlowcontrolV1Client
	rbac              *rbacv1.RbacV1Client
	resource          *resourcev1.ResourceV1Client
	resourceAlpha3    *resourcev1alpha3.ResourceV1alpha3Client
	scheduling        *schedulingv1.SchedulingV1Client
	schedulingV1beta1 *schedulingv1beta1.SchedulingV1beta1Client
}

// NewForConfig returns a client with dratest's API groups.
func NewForConfig(config *rest.Config) (kubernetes.Interface, error) {
	config = rest.CopyConfig(config)
	if config.RateLimiter == nil && config.QPS > 0 {
		config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(config.QPS, config.Burst)
	}
	web, err := HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	var errs []error
	c := client{
		discovery:         group(&errs, config, web, discovery.NewDiscoveryClientForConfigAndClient),
		admission:         group(&errs, config, web, admissionregistrationv1.NewForConfigAndClient),
		apps:              group(&errs, config, web, appsv1.NewForConfigAndClient),
		authorization:     group(&errs, config, web, authorizationv1.NewForConfigAndClient),
		batch:             group(&errs, config, web, batchv1.NewForConfigAndClient),
		coordination:      group(&errs, config, web, coordinationv1.NewForConfigAndClient),
		core:              group(&errs, config, web, corev1.NewForConfigAndClient),
		flowcontrol:       group(&errs, config, web, flowcontrolv1.NewForConfigAndClient),
		rbac:              group(&errs, config, web, rbacv1.NewForConfigAndClient),
		resource:          group(&errs, config, web, resourcev1.NewForConfigAndClient),
		resourceAlpha3:    group(&errs, config, web, resourcev1alpha3.NewForConfigAndClient),
		scheduling:        group(&errs, config, web, schedulingv1.NewForConfigAndClient),
		schedulingV1beta1: group(&errs, config, web, schedulingv1beta1.NewForConfigAndClient),
	}
	return c, errors.Join(errs...)
}

func group[C any](errs *[]error, config *rest.Config, web *http.Client, make func(*rest.Config, *http.Client) (*C, error)) *C {
	c, err := make(config, web)
	*errs = append(*errs, err)
	return c
}

func (c client) Discovery() discovery.DiscoveryInterfaces { return c.discovery }
func (c client) AdmissionregistrationV1() admissionregistrationv1.AdmissionregistrationV1Interface {
	return c.admission
}
func (c client) AppsV1() appsv1.AppsV1Interface                            { return c.apps }
func (c client) AuthorizationV1() authorizationv1.AuthorizationV1Interface { return c.authorization }
func (c client) BatchV1() batchv1.BatchV1Interface                         { return c.batch }
func (c client) CoordinationV1() coordinationv1.CoordinationV1Interface    { return c.coordination }
func (c client) CoreV1() corev1.CoreV1Interface                            { return c.core }
func (c client) FlowcontrolV1() flowcontrolv1.FlowcontrolV1Interface       { return c.flowcontrol }
func (c client) RbacV1() rbacv1.RbacV1Interface                            { return c.rbac }
func (c client) ResourceV1() resourcev1.ResourceV1Interface                { return c.resource }
func (c client) ResourceV1alpha3() resourcev1alpha3.ResourceV1alpha3Interface {
	return c.resourceAlpha3
}
func (c client) SchedulingV1() schedulingv1.SchedulingV1Interface { return c.scheduling }
func (c client) SchedulingV1beta1() schedulingv1beta1.SchedulingV1beta1Interface {
	return c.schedulingV1beta1
}
