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

package job

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

const (
	// Name of the Job and its account, and the default namespace.
	Name = "dratest"
	// Program is where an image must have dratest.
	Program = "/usr/local/bin/dratest"
	// FilesDir has the files of a command in its container.
	FilesDir = "/etc/dratest"

	// runner runs the cases, keeper keeps the results.
	runner, keeper = "run", "results"
	// volume is mounted in both.
	volume = "/results"
	// user is the customary nobody of images without accounts.
	user int64 = 65532
	// grace is a run's time to clean up when the Job is deleted.
	grace int64 = 300
)

// Config configures a command of dratest in a cluster.
type Config struct {
	Namespace string
	// Image has Program.
	Image string
	// Command is "run", "certify", "sanity" or "soak", with Args.
	Command string
	Args    []string
	// Files are in FilesDir, by name.
	Files map[string]string
	// Rules are the rights of the command.
	Rules []rbacv1.PolicyRule
	// Pod is the template of the command's pods. The Job's pod takes its tolerations and pull secrets.
	Pod corev1.PodSpec
}

// Manifests are the YAML manifests for dratest as a Job: a namespace, a least-privilege account, the files of the
// command, and the Job. The namespace does not have dratest's label, since a run removes labelled objects.
func Manifests(c Config) ([]byte, error) {
	var all bytes.Buffer
	objects := []runtime.Object{namespace(c), account(c), role(c), binding(c)}
	if len(c.Files) > 0 {
		objects = append(objects, files(c))
	}
	for _, object := range append(objects, job(c)) {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, fmt.Errorf("print manifests: %w", err)
		}
		delete(fields, "status")
		data, err := yaml.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("print manifests: %w", err)
		}
		all.WriteString("---\n")
		all.Write(data)
	}
	return all.Bytes(), nil
}

func labels() map[string]string { return map[string]string{"app.kubernetes.io/name": Name} }

func namespace(c Config) *corev1.Namespace {
	enforce := labels()
	enforce["pod-security.kubernetes.io/enforce"] = "restricted"
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Namespace, Labels: enforce},
	}
}

func account(c Config) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: Name, Labels: labels()},
	}
}

// roleName includes the namespace: installations in several namespaces share nothing.
func roleName(c Config) string { return "dratest:run:" + c.Namespace }

func role(c Config) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: roleName(c), Labels: labels()},
		Rules:      c.Rules,
	}
}

func binding(c Config) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: roleName(c), Labels: labels()},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: c.Namespace, Name: Name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: roleName(c)},
	}
}

func files(c Config) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: Name, Labels: labels()},
		Data:       c.Files,
	}
}

func job(c Config) *batchv1.Job {
	run := container(c, runner, append([]string{c.Command, "--in-cluster", "--report-dir=" + path.Join(volume, reportDir)}, literal(c.Args)...))
	volumes := []corev1.Volume{emptyDir("results"), emptyDir("tmp")}
	if len(c.Files) > 0 {
		run.VolumeMounts = append(run.VolumeMounts, corev1.VolumeMount{Name: "files", MountPath: FilesDir})
		volumes = append(volumes, corev1.Volume{Name: "files", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: Name}}}})
	}
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: Name, Labels: labels()},
		Spec: batchv1.JobSpec{
			BackoffLimit: ptr.To[int32](0), // another run does not improve the result
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels()},
				Spec: corev1.PodSpec{
					ServiceAccountName:            Name,
					RestartPolicy:                 corev1.RestartPolicyNever,
					TerminationGracePeriodSeconds: ptr.To(grace),
					NodeSelector:                  map[string]string{corev1.LabelOSStable: "linux"},
					Tolerations:                   c.Pod.Tolerations,
					ImagePullSecrets:              c.Pod.ImagePullSecrets,
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(user), RunAsGroup: ptr.To(user), FSGroup: ptr.To(user),
						SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{run, container(c, keeper, []string{"job", "hold", volume})},
					Volumes:    volumes,
				},
			},
		},
	}
}

// literal keeps kubelets from expanding $(VARIABLE) and $$ in arguments.
func literal(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.Contains(arg, "$$") || strings.Contains(arg, "$(") {
			args[i] = strings.ReplaceAll(arg, "$", "$$")
		}
	}
	return args
}

func emptyDir(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

func container(c Config, name string, args []string) corev1.Container {
	return corev1.Container{
		Name: name, Image: c.Image, ImagePullPolicy: corev1.PullIfNotPresent,
		Command: []string{Program}, Args: args,
		VolumeMounts: []corev1.VolumeMount{{Name: "results", MountPath: volume}, {Name: "tmp", MountPath: "/tmp"}},
		// Keeps the run from being the node's first eviction.
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
		}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}
