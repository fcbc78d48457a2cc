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

package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ErrUnreachable: no API server at the address, or no access for the user.
var ErrUnreachable = errors.New("cluster unreachable")

// limit bounds a probe: a mistyped address is reported within 15 s.
const limit = 14 * time.Second

const group = "resource.k8s.io"

// Target examines the cluster of config. Feature gates and components, possibly invisible to an ordinary user, are
// omitted then; the rest is an error: ErrUnreachable with the address within 15 s, DRA not served, nodes not
// listable.
func Target(ctx context.Context, config *rest.Config) (spec.Target, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	config = rest.CopyConfig(config)
	config.QPS = -1 // There is a request for each node; client-go's limit of 5 per second is for controllers.
	client, err := kube.NewForConfig(config)
	if err != nil {
		return spec.Target{}, fmt.Errorf("use the kubeconfig for %s: %w", config.Host, err)
	}
	target := spec.Target{Server: withoutUserinfo(config.Host)}
	if target.Kubernetes, err = serverVersion(ctx, client); err != nil {
		return spec.Target{}, fmt.Errorf("%w: ask %s for its version: %w", ErrUnreachable, config.Host, advise(err))
	}
	if target.ResourceAPIs, err = resourceAPIs(ctx, client); err != nil {
		return spec.Target{}, fmt.Errorf("probe %s (Kubernetes %s): %w", config.Host, target.Kubernetes, err)
	}
	if target.PodGroups, err = podGroups(ctx, client); err != nil {
		return spec.Target{}, fmt.Errorf("probe %s (Kubernetes %s): %w", config.Host, target.Kubernetes, err)
	}
	if target.Gates, err = gates(ctx, client); err != nil {
		target.GatesUnseen = fmt.Sprintf("the API server's metrics cannot be read: %v", err)
	}
	if target.Nodes, err = nodes(ctx, client); err != nil {
		return spec.Target{}, fmt.Errorf("probe %s: %w", config.Host, err)
	}
	target.APIServers = apiServers(ctx, client)
	kubeletGates(ctx, client, target.Nodes)
	target.Observed = observed(ctx, client)
	pods := system(ctx, client)
	target.Components = components(pods)
	target.Running = running(pods, target.Nodes)
	target.Stack = spec.StackOf(target.Running)
	target.BindingTimeout, target.DefaultsProfile = bindingTimeout(pods[stockScheduler]), defaultsProfile(pods[stockScheduler])
	target.SchedulerGates, target.SchedulerGatesUnseen = schedulerGates(pods[stockScheduler])
	return target, nil
}

func advise(err error) error {
	switch {
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return fmt.Errorf("%w (the server is there, but does not accept the kubeconfig's credentials)", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w (nothing answered in time: check the address in the kubeconfig)", err)
	default:
		return err
	}
}

func serverVersion(ctx context.Context, client kubernetes.Interface) (string, error) {
	body, err := client.Discovery().RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var info version.Info
	if err := json.Unmarshal(body, &info); err != nil || info.GitVersion == "" {
		return "", errors.New("the answer is not from a Kubernetes API server")
	}
	return info.GitVersion, nil
}

func resourceAPIs(ctx context.Context, client kubernetes.Interface) ([]string, error) {
	body, err := client.Discovery().RESTClient().Get().AbsPath("/apis/" + group).Do(ctx).Raw()
	if status := (apierrors.APIStatus)(nil); errors.As(err, &status) && status.Status().Code == http.StatusNotFound {
		return nil, fmt.Errorf("DRA is not served by this cluster: it has no API group %s; "+
			"use Kubernetes v1.34 or newer, where it is on by default", group)
	}
	if err != nil {
		return nil, fmt.Errorf("ask for the versions of %s: %w", group, err)
	}
	var g metav1.APIGroup
	if err := json.Unmarshal(body, &g); err != nil {
		return nil, fmt.Errorf("read the versions of %s: %w", group, err)
	}
	var versions []string
	for _, v := range g.Versions {
		versions = append(versions, v.Version)
	}
	slices.Sort(versions)
	return versions, nil
}

func podGroups(ctx context.Context, client kubernetes.Interface) (bool, error) {
	err := client.Discovery().RESTClient().Get().AbsPath("/apis/scheduling.k8s.io/v1beta1").Do(ctx).Error()
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask for the resources of scheduling.k8s.io/v1beta1: %w", err)
	}
	return true, nil
}

// Reachable returns ErrUnreachable with the address and the cause if the cluster does not answer within 15 s.
func Reachable(ctx context.Context, config *rest.Config) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := kube.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("use the kubeconfig for %s: %w", config.Host, err)
	}
	if _, err := serverVersion(ctx, client); err != nil {
		return fmt.Errorf("%w: ask %s for its version: %w", ErrUnreachable, config.Host, advise(err))
	}
	return nil
}

// withoutUserinfo removes credentials from the API server's URL, as it is published.
func withoutUserinfo(server string) string {
	parsed, err := url.Parse(server)
	if err != nil || parsed.User == nil {
		return server
	}
	parsed.User = nil
	return parsed.String()
}
