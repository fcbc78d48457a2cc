package staticpod

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// stockAnnotation remembers in a manifest what it ran before Substitute: it cannot
// get lost, and there is no second file that could be out of date.
const stockAnnotation = "dratest.io/stock"

// stock is the annotation's content.
type stock struct {
	Image   string   `json:"image"`
	Command []string `json:"command"`
}

// ourFiles is where dratest's clusters have configuration files of their own.
const ourFiles = "/etc/dratest/"

// Substitute returns a static pod's manifest with another image and additional
// arguments. An argument that names a file of dratest's own is replaced; one that
// somebody else gave is an error. Substituting what has been substituted starts
// from the original.
func Substitute(manifest []byte, image string, args []string) ([]byte, error) {
	original, err := Original(manifest)
	if err != nil {
		return nil, err
	}
	pod, err := decode(original)
	if err != nil {
		return nil, err
	}
	c := &pod.Spec.Containers[0]
	command := slices.Clone(c.Command)
	for _, arg := range args {
		has := sameFlag(command, arg)
		if _, value, _ := strings.Cut(has, "="); strings.HasPrefix(value, ourFiles) {
			command = slices.DeleteFunc(command, func(other string) bool { return other == has })
		} else if has != "" {
			return nil, fmt.Errorf("change a static pod: %s has the argument %s already, which would be replaced by %s", pod.Name, has, arg)
		}
	}
	was, err := json.Marshal(stock{Image: c.Image, Command: c.Command})
	if err != nil {
		return nil, fmt.Errorf("change a static pod: %w", err)
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[stockAnnotation] = string(was)
	c.Image, c.Command = image, slices.Concat(command, args)
	return encode(pod)
}

// Original returns the manifest as it was before Substitute; one that was not
// substituted comes back as it is.
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

// Substituted tells whether a manifest has been changed by Substitute.
func Substituted(manifest []byte) (bool, error) {
	pod, err := decode(manifest)
	if err != nil {
		return false, err
	}
	_, ok := pod.Annotations[stockAnnotation]
	return ok, nil
}

// imageOf is what a manifest runs.
func imageOf(manifest []byte) (string, error) {
	pod, err := decode(manifest)
	if err != nil {
		return "", err
	}
	return pod.Spec.Containers[0].Image, nil
}

// sameFlag finds the argument that gives the same flag as arg.
func sameFlag(command []string, arg string) string {
	flag, _, _ := strings.Cut(arg, "=")
	for _, has := range command {
		if name, _, _ := strings.Cut(has, "="); name == flag {
			return has
		}
	}
	return ""
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
