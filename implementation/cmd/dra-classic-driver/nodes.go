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
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/classic/whatif"
)

// readNodes reads a file with Nodes, - for in.
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
		node := &corev1.Node{}
		if err == nil {
			err = yaml.UnmarshalStrict(document, node)
		}
		if err != nil {
			return nil, fmt.Errorf("read nodes of %s: %w", name, err)
		}
		if node.Kind == "" && node.Name == "" {
			continue // There are only comments.
		}
		if node.APIVersion != "v1" || node.Kind != "Node" || node.Name == "" {
			return nil, fmt.Errorf("read nodes of %s: there is %q of %q with the name %q: it has to be a Node of v1 with a name", name, node.Kind, node.APIVersion, node.Name)
		}
		nodes = append(nodes, node)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("read nodes of %s: there are none", name)
	}
	return nodes, nil
}

// newNodes are so many like each of the templates.
func newNodes(templates []*corev1.Node, count int) []*corev1.Node {
	var nodes []*corev1.Node
	for _, template := range templates {
		for i := range count {
			node := template.DeepCopy()
			node.Name = fmt.Sprintf("%s-new-%d", template.Name, i+1)
			if node.Labels == nil {
				node.Labels = make(map[string]string)
			}
			node.Labels[corev1.LabelHostname] = node.Name
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// readCluster lists all that a simulation looks at.
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
