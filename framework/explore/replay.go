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
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/problem"
)

// subject returns a problem renamed to a new ID, for a namespace.
type subject func(id, namespace string) (*problem.Problem, error)

// generated returns the subject of a generated problem.
func generated(p *problem.Problem) subject {
	return func(id, namespace string) (*problem.Problem, error) { return scope(p, id, namespace) }
}

// renamed returns the subject of a problem with an ID.
func renamed(p *problem.Problem, old string) subject {
	return func(id, namespace string) (*problem.Problem, error) {
		data, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("rename problem: %w", err)
		}
		again := &problem.Problem{}
		if err := json.Unmarshal(bytes.ReplaceAll(data, []byte(old), []byte(id)), again); err != nil {
			return nil, fmt.Errorf("rename problem: %w", err)
		}
		for _, claims := range [][]resourceapi.ResourceClaim{again.Allocated, again.Claims} {
			for i := range claims {
				claims[i].Namespace = namespace
			}
		}
		return again, nil
	}
}

// read returns the problem in a finding's file, and its ID.
func read(name string) (*problem.Problem, string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, "", fmt.Errorf("replay: %w", err)
	}
	p := &problem.Problem{}
	for _, doc := range strings.Split("\n"+string(data), "\n---\n")[1:] {
		if err := addObject(p, []byte(doc)); err != nil {
			return nil, "", fmt.Errorf("replay: %s: %w", name, err)
		}
	}
	if len(p.Nodes) == 0 || !problemID.MatchString(p.Nodes[0].Labels[label]) || len(p.Pods) == 0 {
		return nil, "", fmt.Errorf("replay: %s: %w", name, errNoFinding)
	}
	id := p.Nodes[0].Labels[label]
	if err := scopedAs(p, id); err != nil {
		return nil, "", fmt.Errorf("replay: %s: %w", name, err)
	}
	return p, id, nil
}

var (
	errNoFinding = errors.New("is no finding: it needs pods, and nodes with the label " + label)
	problemID    = regexp.MustCompile(`^x[0-9][0-9a-z]*$`)
)

// scopedAs returns an error unless a problem is isolated like those of scope, and removable by its label.
func scopedAs(p *problem.Problem, id string) error {
	var errs []error
	own := func(kind, name string, labels map[string]string) {
		if !strings.HasPrefix(name, id+"-") || labels[label] != id {
			errs = append(errs, fmt.Errorf("%s %s: must have the label %s=%s and a name with the prefix %s-", kind, name, label, id, id))
		}
	}
	for i := range p.Nodes {
		own("Node", p.Nodes[i].Name, p.Nodes[i].Labels)
	}
	for i := range p.Classes {
		own("DeviceClass", p.Classes[i].Name, p.Classes[i].Labels)
		if name := p.Classes[i].Spec.ExtendedResourceName; name != nil && !ownResource(*name, id) {
			errs = append(errs, fmt.Errorf("DeviceClass %s: extendedResourceName %s: must have the domain .%s%s", p.Classes[i].Name, *name, id, domain))
		}
	}
	for i := range p.Slices {
		own("ResourceSlice", p.Slices[i].Name, p.Slices[i].Labels)
		if driver := p.Slices[i].Spec.Driver; !strings.HasSuffix(driver, "."+id+domain) {
			errs = append(errs, fmt.Errorf("ResourceSlice %s: driver %s: must end with .%s%s", p.Slices[i].Name, driver, id, domain))
		}
	}
	for i := range p.Rules {
		own("DeviceTaintRule", p.Rules[i].Name, p.Rules[i].Labels)
		by := p.Rules[i].Spec.DeviceSelector
		if by != nil && !strings.HasSuffix(ptr.Deref(by.Driver, ""), "."+id+domain) {
			errs = append(errs, fmt.Errorf("DeviceTaintRule %s: driver %q: must end with .%s%s", p.Rules[i].Name, ptr.Deref(by.Driver, ""), id, domain))
		}
	}
	for _, claims := range [][]resourceapi.ResourceClaim{p.Allocated, p.Claims} {
		for i := range claims {
			own("ResourceClaim", claims[i].Name, claims[i].Labels)
		}
	}
	for i := range p.Pods {
		for name := range p.Pods[i].Extended() {
			if !ownResource(name, id) {
				errs = append(errs, fmt.Errorf("pod %s: extended resource %s: must belong to a class of problem %s", p.Pods[i].Name, name, id))
			}
		}
	}
	return errors.Join(errs...)
}

// ownResource reports whether an extended resource belongs to a problem.
func ownResource(name, id string) bool {
	return strings.HasPrefix(name, resourceapi.ResourceDeviceClassPrefix+id+"-") || strings.Contains(name, "."+id+domain+"/")
}

func addObject(p *problem.Problem, doc []byte) error {
	var meta metav1.TypeMeta
	if err := yaml.Unmarshal(doc, &meta); err != nil {
		return err
	}
	switch meta.Kind {
	case "Node":
		node, err := decoded[corev1.Node](doc)
		p.Nodes = append(p.Nodes, problem.Node{Name: node.Name, Labels: node.Labels, Extended: extended(node.Status.Allocatable)})
		return err
	case "DeviceClass":
		class, err := decoded[resourceapi.DeviceClass](doc)
		class.TypeMeta = metav1.TypeMeta{}
		p.Classes = append(p.Classes, class)
		return err
	case "ResourceSlice":
		slice, err := decoded[resourceapi.ResourceSlice](doc)
		slice.TypeMeta = metav1.TypeMeta{}
		p.Slices = append(p.Slices, slice)
		return err
	case "DeviceTaintRule":
		rule, err := decoded[resourceapi.DeviceTaintRule](doc)
		rule.TypeMeta = metav1.TypeMeta{}
		p.Rules = append(p.Rules, rule)
		return err
	case "ResourceClaim":
		claim, err := decoded[resourceapi.ResourceClaim](doc)
		claim.TypeMeta = metav1.TypeMeta{}
		if claim.Status.Allocation != nil {
			p.Allocated = append(p.Allocated, claim)
		} else {
			p.Claims = append(p.Claims, claim)
		}
		return err
	case "Pod":
		object, err := decoded[corev1.Pod](doc)
		pod := problem.Pod{Name: object.Name}
		for _, c := range object.Spec.ResourceClaims {
			pod.Claims = append(pod.Claims, ptr.Deref(c.ResourceClaimName, ""))
		}
		addContainers(&pod, object.Spec)
		p.Pods = append(p.Pods, pod)
		return err
	}
	return fmt.Errorf("unknown kind %q", meta.Kind)
}

// addContainers adds the containers requesting extended resources.
func addContainers(pod *problem.Pod, spec corev1.PodSpec) {
	for i, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		added := problem.Container{Name: c.Name, Extended: extended(c.Resources.Limits)}
		switch {
		case c.RestartPolicy != nil:
			added.Kind = problem.Sidecar
		case i < len(spec.InitContainers):
			added.Kind = problem.Init
		}
		if added.Extended != nil {
			pod.Containers = append(pod.Containers, added)
		}
	}
}

// extended returns the extended resources of a list, nil for none.
func extended(list corev1.ResourceList) map[string]int64 {
	var all map[string]int64
	for name, quantity := range list {
		if strings.Contains(string(name), "/") {
			if all == nil {
				all = map[string]int64{}
			}
			all[string(name)] = quantity.Value()
		}
	}
	return all
}

func decoded[O any](doc []byte) (O, error) {
	var object O
	err := yaml.UnmarshalStrict(doc, &object)
	return object, err
}
