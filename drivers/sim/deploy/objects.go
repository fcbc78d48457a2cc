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

package deploy

import (
	"maps"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// Namespace is where the agents run.
	Namespace = spec.SystemNamespace
	// DefaultImage is the agent's default image.
	DefaultImage = spec.ImageSim
	// Program is the path of the agent's binary in an image.
	Program = "/usr/local/bin/dra-sim"
	// LabelName is the label of the agent's pods, with the value Name.
	LabelName = "app.kubernetes.io/name"
	// Name of the DaemonSet and of its service account.
	Name = "dra-sim"

	clusterName = "dratest:dra-sim"
	cdiDir      = "/var/run/cdi"
)

// Config configures the installation; its zero value works.
type Config struct {
	// Image is the agent's image; empty means DefaultImage.
	Image string
	// KubeletRoot is the root directory of the nodes' kubelets; empty means /var/lib/kubelet.
	KubeletRoot string
	// Adapt changes the agents' pods; nil leaves them.
	Adapt func(corev1.PodSpec) (corev1.PodSpec, error)
	// Labels and Annotations are added to the agents' namespace. It stays privileged.
	Labels, Annotations map[string]string
}

func (c Config) withDefaults() Config {
	if c.Image == "" {
		c.Image = DefaultImage
	}
	if c.KubeletRoot == "" {
		c.KubeletRoot = "/var/lib/kubelet"
	}
	return c
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{
		spec.LabelManagedBy: spec.ManagedBy,
		LabelName:           Name,
	}}
}

func namespaced(name string) metav1.ObjectMeta {
	m := meta(name)
	m.Namespace = Namespace
	return m
}

func namespace(c Config) *corev1.Namespace {
	m := meta(Namespace)
	maps.Copy(m.Labels, c.Labels)
	m.Labels[spec.PodSecurity], m.Labels[spec.PodSecurityWarn] = "privileged", "privileged"
	m.Annotations = c.Annotations
	n := spec.Namespace(m)
	n.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}
	return n
}

func serviceAccount() *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: namespaced(Name),
	}
}

// Rules are the agents' permissions: they write slices, read claims to prepare, get their node (the owner of slices),
// and set device conditions of claims allocated to their node. The latter needs a permission on
// "resourceclaims/driver" since v1.36, not a real subresource (KEP-4817, granular authorization of the status).
func Rules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{
			APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceslices"},
			Verbs: []string{"list", "watch", "create", "update", "delete", "deletecollection"},
		},
		{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims/status"}, Verbs: []string{"update"}},
		{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims/driver"}, Verbs: []string{"associated-node:update"}},
		{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get"}},
	}
}

func clusterRole() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: meta(clusterName),
		Rules:      Rules(),
	}
}

func clusterRoleBinding() *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
		ObjectMeta: meta(clusterName),
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: Name, Namespace: Namespace}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterName},
	}
}

func daemonSet(c Config) *appsv1.DaemonSet {
	labels := map[string]string{LabelName: Name}
	everyNode := intstr.FromString("100%")
	return &appsv1.DaemonSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "DaemonSet"},
		ObjectMeta: namespaced(Name),
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type:          appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &everyNode},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: meta("").Labels},
				Spec:       podSpec(c),
			},
		},
	}
}

// podSpec needs the node's PID namespace and privileges only for evidence: logs are read by the node's own
// journalctl. Mounts have the same path inside and outside, since the kubelet connects to the sockets by that path.
func podSpec(c Config) corev1.PodSpec {
	directories := []struct{ name, path string }{
		{"plugins", filepath.Join(c.KubeletRoot, "plugins")},
		{"registry", filepath.Join(c.KubeletRoot, "plugins_registry")},
		{"device-plugins", filepath.Join(c.KubeletRoot, "device-plugins")},
		{"cdi", cdiDir},
	}
	volumes := make([]corev1.Volume, 0, len(directories))
	mounts := make([]corev1.VolumeMount, 0, len(directories))
	for _, v := range directories {
		volumes = append(volumes, corev1.Volume{Name: v.name, VolumeSource: corev1.VolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: v.path, Type: ptr.To(corev1.HostPathDirectoryOrCreate)},
		}})
		mounts = append(mounts, corev1.VolumeMount{Name: v.name, MountPath: v.path})
	}
	return corev1.PodSpec{
		ServiceAccountName:            Name,
		HostPID:                       true,
		TerminationGracePeriodSeconds: ptr.To[int64](10),
		Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		NodeSelector:                  map[string]string{corev1.LabelOSStable: "linux"},
		Volumes:                       volumes,
		Containers: []corev1.Container{{
			Name:            Name,
			Image:           c.Image,
			ImagePullPolicy: corev1.PullIfNotPresent,
			Command:         []string{Program, "serve", "--kubelet-root=" + c.KubeletRoot, "--cdi-dir=" + cdiDir},
			Env: []corev1.EnvVar{{Name: "NODE_NAME", ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "spec.nodeName"},
			}}},
			SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true)},
			VolumeMounts:    mounts,
			// Only until it is up: a probe process every second would slow down the tests.
			StartupProbe: &corev1.Probe{
				ProbeHandler:  corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{Program, "ready"}}},
				PeriodSeconds: 1, FailureThreshold: 120, TimeoutSeconds: 5,
			},
		}},
	}
}
