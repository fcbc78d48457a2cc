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

package gather

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxLog is the maximum size of a log in bytes; its end is kept.
const maxLog = 16 << 20

// components are control plane pods with relevant logs, by a part of their containers' images.
var components = []string{"kube-scheduler", "kube-controller-manager", "dra-scheduler", "dra-controller-manager"} //nolint:gochecknoglobals // a table

// logs reads the logs of schedulers, controllers and pods registering plugins with the kubelet.
func (g *gathering) logs(ctx context.Context, pods []corev1.Pod) {
	seen := map[string]bool{}
	for i := range pods {
		p := &pods[i]
		name := componentOf(p)
		if name == "" && !isDriver(p) {
			continue
		}
		seen[name] = true
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			g.log(ctx, p, c.Name, false)
			if restarted(p, c.Name) {
				g.log(ctx, p, c.Name, true)
			}
		}
	}
	for _, name := range components[:2] {
		if !seen[name] && !seen[strings.Replace(name, "kube-", "dra-", 1)] {
			g.missing("log of "+name, errors.New("it has no visible pod"))
		}
	}
}

func componentOf(p *corev1.Pod) string {
	for _, c := range p.Spec.Containers {
		for _, name := range components {
			if strings.Contains(path.Base(c.Image), name) {
				return name
			}
		}
	}
	return ""
}

// isDriver reports whether a pod mounts a kubelet plugin directory, as each driver must.
func isDriver(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
		return v.HostPath != nil && strings.HasPrefix(path.Base(v.HostPath.Path), "plugins_registry")
	})
}

func restarted(p *corev1.Pod, container string) bool {
	return slices.ContainsFunc(slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses), func(s corev1.ContainerStatus) bool {
		return s.Name == container && s.RestartCount > 0
	})
}

func (g *gathering) log(ctx context.Context, p *corev1.Pod, container string, previous bool) {
	name := fmt.Sprintf("logs/%s.%s.%s", p.Namespace, p.Name, container)
	since := metav1.NewTime(g.Since)
	options := &corev1.PodLogOptions{Container: container, SinceTime: &since, Timestamps: true}
	if previous {
		// Logs before a restart are old by definition.
		name, options.Previous, options.SinceTime = name+".previous", true, nil
	}
	stream, err := g.Client.CoreV1().Pods(p.Namespace).GetLogs(p.Name, options).Stream(ctx)
	if err != nil {
		g.missing(name, err)
		return
	}
	defer func() { _ = stream.Close() }()
	content, cut, err := end(stream, maxLog)
	g.missing(name, err)
	if cut > 0 {
		g.missing(name, fmt.Errorf("the first %d bytes were left out, it was longer than %d", cut, maxLog))
	}
	g.file(name+".log", content)
}

// end returns the end of a reader's data, from the start of a line, and the number of preceding bytes.
func end(r io.Reader, limit int) (content []byte, cut int, err error) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := r.Read(chunk)
		content = append(content, chunk[:n]...)
		if more := len(content) - limit; more > limit || err != nil && more > 0 {
			line := bytes.IndexByte(content[more:], '\n') + 1
			content = append([]byte(nil), content[more+line:]...)
			cut += more + line
		}
		if errors.Is(err, io.EOF) {
			return content, cut, nil
		}
		if err != nil {
			return content, cut, err
		}
	}
}

func (g *gathering) nodes(ctx context.Context, nodes []corev1.Node) {
	const atOnce = 8
	type answer struct {
		files map[string][]byte
		err   error
	}
	answers := make([]answer, len(nodes))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range nodes {
		group.Go(func() error {
			answers[i].files, answers[i].err = g.Nodes.Evidence(ctx, nodes[i].Name, g.Since)
			return nil
		})
	}
	_ = group.Wait() // each records its own errors
	for i, a := range answers {
		g.missing("files of node "+nodes[i].Name, a.err)
		for _, name := range sortedKeys(a.files) {
			if !filepath.IsLocal(name) {
				g.missing("nodes/"+nodes[i].Name+"/"+name, errors.New("is not a name within the node's directory"))
				continue
			}
			if g.blind && strings.HasSuffix(name, ".log") {
				g.missing("nodes/"+nodes[i].Name+"/"+name, errUnscrubbed)
				continue
			}
			content := a.files[name]
			if strings.HasPrefix(name, "cdi/") {
				reported, err := CDI(content)
				if err != nil {
					g.missing("nodes/"+nodes[i].Name+"/"+name, fmt.Errorf("left out, as it cannot be told what of it are environment variables: %w", err))
					continue
				}
				content = reported
			}
			g.file(path.Join("nodes", nodes[i].Name, name), content)
		}
	}
}

func (g *gathering) metrics(ctx context.Context, nodes []corev1.Node) {
	read := func(name, path string) {
		text, err := g.Raw(ctx, path)
		g.missing("metrics of "+name, err)
		if err == nil {
			g.file("metrics/"+name+".txt", aboutDRA(text))
		}
	}
	read("kube-apiserver", "/metrics")
	for _, n := range nodes {
		read("kubelet."+n.Name, "/api/v1/nodes/"+n.Name+"/proxy/metrics")
	}
}

func aboutDRA(text []byte) []byte {
	var reported []byte
	for line := range bytes.Lines(text) {
		for _, part := range []string{"dra_", "resourceclaim", "resource_claim", "resourceslice", "deviceclass", "DynamicResources", `name="DRA`} {
			if bytes.Contains(line, []byte(part)) {
				reported = append(reported, line...)
				break
			}
		}
	}
	return reported
}
