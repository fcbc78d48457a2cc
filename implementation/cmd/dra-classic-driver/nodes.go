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

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/classic/whatif"
)

// readNodes reads Nodes from a file, or from in for "-".
func readNodes(name string, in io.Reader) ([]*corev1.Node, error) {
	var content []byte
	var err error
	if name == "-" {
		name = "standard input"
		content, err = io.ReadAll(in)
	} else {
		content, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	var nodes []*corev1.Node
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var read []*corev1.Node
		if err == nil {
			read, err = nodesOf(document)
		}
		if err != nil {
			return nil, fmt.Errorf("read nodes of %s: %w", name, err)
		}
		for _, node := range read {
			if node.APIVersion != "v1" || node.Kind != "Node" || node.Name == "" {
				return nil, fmt.Errorf("read nodes of %s: there is %q of %q with the name %q: it has to be a Node of v1 with a name", name, node.Kind, node.APIVersion, node.Name)
			}
		}
		nodes = append(nodes, read...)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("read nodes of %s: there are none", name)
	}
	return nodes, nil
}

// nodesOf returns the Node of a document, or those of a List. A document with only comments has none.
func nodesOf(document []byte) ([]*corev1.Node, error) {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return nil, err
	}
	var list corev1.NodeList
	if kind.Kind == "List" || kind.Kind == "NodeList" {
		if err := yaml.UnmarshalStrict(document, &list); err != nil {
			return nil, err
		}
		return pointers(list.Items), nil
	}
	var node corev1.Node
	if err := yaml.UnmarshalStrict(document, &node); err != nil || node.Kind == "" && node.Name == "" {
		return nil, err
	}
	return []*corev1.Node{&node}, nil
}

// newNodes creates count nodes from each template, without names of existing nodes.
func newNodes(templates []*corev1.Node, count int, there []*corev1.Node) []*corev1.Node {
	taken := sets.New[string]()
	for _, node := range there {
		taken.Insert(node.Name)
	}
	var nodes []*corev1.Node
	for _, template := range templates {
		for number, left := 1, count; left > 0; number++ {
			name := fmt.Sprintf("%s-new-%d", template.Name, number)
			if taken.Has(name) {
				continue
			}
			left--
			node := template.DeepCopy()
			node.Name = name
			if node.Labels == nil {
				node.Labels = make(map[string]string)
			}
			node.Labels[corev1.LabelHostname] = name
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// readCluster lists the simulation's input.
func readCluster(ctx context.Context, kube kubernetes.Interface, classic client.Interface) (whatif.Objects, error) {
	nodes, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return whatif.Objects{}, fmt.Errorf("list nodes: %w", err)
	}
	pods, err := kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return whatif.Objects{}, fmt.Errorf("list pods: %w", err)
	}
	claims, err := kube.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return whatif.Objects{}, fmt.Errorf("list resource claims: %w", err)
	}
	deviceClasses, err := kube.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return whatif.Objects{}, fmt.Errorf("list device classes: %w", err)
	}
	classes, err := classic.ResourceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return whatif.Objects{}, fmt.Errorf("list resource classes: %w", err)
	}
	return whatif.Objects{
		Nodes: pointers(nodes.Items), Pods: pointers(pods.Items), Claims: pointers(claims.Items),
		DeviceClasses: pointers(deviceClasses.Items), Classes: pointers(classes.Items),
	}, nil
}

func pointers[T any](items []T) []*T {
	all := make([]*T, 0, len(items))
	for i := range items {
		all = append(all, &items[i])
	}
	return all
}
