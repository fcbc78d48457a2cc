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

package staticpod

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// stockAnnotation stores a manifest's original in the changed one: it cannot get lost or outdated like a second file.
const stockAnnotation = "dra-conformance.github.io/stock"

// stock is the annotation's content.
type stock struct {
	Image   string   `json:"image"`
	Command []string `json:"command"`
}

// ourFiles is the directory of dratest's own configuration files.
const ourFiles = "/etc/dratest/"

// Substitute returns a static pod's manifest with another image and additional arguments. An argument naming a file
// of dratest's own is replaced; another origin's is an error. Substituting twice starts from the original.
func Substitute(manifest []byte, image string, args []string) ([]byte, error) {
	return change(manifest, func(c *corev1.Container) error {
		for _, arg := range args {
			has := sameFlag(c.Command, arg)
			if _, value, _ := strings.Cut(has, "="); strings.HasPrefix(value, ourFiles) {
				c.Command = slices.DeleteFunc(c.Command, func(other string) bool { return other == has })
			} else if has != "" {
				return fmt.Errorf("%s has the argument %s already, which would be replaced by %s", c.Name, has, arg)
			}
		}
		c.Image, c.Command = image, slices.Concat(c.Command, args)
		return nil
	})
}

// SwitchOff returns a controller manager's manifest with some controllers disabled.
func SwitchOff(manifest []byte, controllers []string) ([]byte, error) {
	const flag = "--controllers="
	return change(manifest, func(c *corev1.Container) error {
		i := slices.IndexFunc(c.Command, func(arg string) bool { return strings.HasPrefix(arg, flag) })
		if i < 0 {
			i = len(c.Command)
			c.Command = append(c.Command, flag+"*")
		}
		c.Command[i] += ",-" + strings.Join(controllers, ",-")
		return nil
	})
}

// change changes the container of a manifest's original, and stores the original in the result.
func change(manifest []byte, do func(*corev1.Container) error) ([]byte, error) {
	original, err := Original(manifest)
	if err != nil {
		return nil, err
	}
	pod, err := decode(original)
	if err != nil {
		return nil, err
	}
	c := &pod.Spec.Containers[0]
	was, err := json.Marshal(stock{Image: c.Image, Command: c.Command})
	if err != nil {
		return nil, fmt.Errorf("change a static pod: %w", err)
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[stockAnnotation] = string(was)
	c.Command = slices.Clone(c.Command)
	if err := do(c); err != nil {
		return nil, fmt.Errorf("change static pod %s: %w", pod.Name, err)
	}
	return encode(pod)
}

// Original returns the manifest before changes; an unchanged one is returned as is.
func Original(manifest []byte) ([]byte, error) {
	pod, err := decode(manifest)
	if err != nil {
		return nil, err
	}
	text, ok := pod.Annotations[stockAnnotation]
	if !ok {
		return manifest, nil
	}
	var was stock
	if err := json.Unmarshal([]byte(text), &was); err != nil {
		return nil, fmt.Errorf("read what static pod %s ran before: %w", pod.Name, err)
	}
	delete(pod.Annotations, stockAnnotation)
	c := &pod.Spec.Containers[0]
	c.Image, c.Command = was.Image, was.Command
	return encode(pod)
}

// Changed reports whether Substitute or SwitchOff changed a manifest.
func Changed(manifest []byte) (bool, error) {
	pod, err := decode(manifest)
	if err != nil {
		return false, err
	}
	_, ok := pod.Annotations[stockAnnotation]
	return ok, nil
}

// sameFlag finds the argument with the same flag as arg.
func sameFlag(command []string, arg string) string {
	flag, _, _ := strings.Cut(arg, "=")
	for _, has := range command {
		if name, _, _ := strings.Cut(has, "="); name == flag {
			return has
		}
	}
	return ""
}

// Args returns the arguments of a manifest's container for some flags, each of the form --flag=value.
func Args(manifest []byte, flags []string) ([]string, error) {
	pod, err := decode(manifest)
	if err != nil {
		return nil, err
	}
	var args []string
	for _, flag := range flags {
		if arg := sameFlag(pod.Spec.Containers[0].Command, flag); arg != "" {
			args = append(args, arg)
		}
	}
	return args, nil
}

func decode(manifest []byte) (*corev1.Pod, error) {
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(manifest, &pod); err != nil {
		return nil, fmt.Errorf("read a static pod's manifest: %w", err)
	}
	if len(pod.Spec.Containers) != 1 {
		return nil, fmt.Errorf("read a static pod's manifest: it has %d containers instead of one", len(pod.Spec.Containers))
	}
	return &pod, nil
}

func encode(pod *corev1.Pod) ([]byte, error) {
	data, err := yaml.Marshal(pod)
	if err != nil {
		return nil, fmt.Errorf("write a static pod's manifest: %w", err)
	}
	return data, nil
}
