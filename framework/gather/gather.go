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
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/audit"
)

// Nodes reads evidence from nodes.
type Nodes interface {
	// Evidence returns files by descriptive names; on an error, the readable ones are returned too.
	Evidence(ctx context.Context, node string, since time.Time) (map[string][]byte, error)
}

// Config configures the collection.
type Config struct {
	Client  kubernetes.Interface
	Dynamic dynamic.Interface
	Nodes   Nodes
	// Raw reads a non-resource path of the API server.
	Raw func(ctx context.Context, path string) ([]byte, error)
	// Since is when logs begin.
	Since time.Time
	// Again is the delay before the second audit.
	Again time.Duration
	// Say receives progress lines; may be nil.
	Say func(format string, args ...any)
}

// Result is the result of Gather.
type Result struct {
	Files []Written
	// Missing lists read errors.
	Missing    []string
	Violations []audit.Violation
}

// Written is a file.
type Written struct {
	Name  string
	Bytes int
}

// Gather writes a cluster's DRA diagnostics, with an index including read errors. Errors: nothing could be read at
// all, or the sink cannot be written.
func Gather(ctx context.Context, c Config, to Sink) (Result, error) {
	g := &gathering{Config: c, to: to}
	if g.Say == nil {
		g.Say = func(string, ...any) {}
	}
	version, err := discovery.ToDiscoveryInterfaceWithContext(c.Client.Discovery()).ServerVersionWithContext(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("ask the API server for its version: %w", err)
	}
	g.Say("reading objects")
	w := g.read(ctx)
	g.scrub = NewScrubber(w.Pods, w.names())
	g.objects(w)
	g.events(ctx, w)
	g.judge(ctx, w)
	if g.blind = w.podsUnknown != nil; g.blind {
		g.missing("logs of components and drivers", errUnscrubbed)
	} else {
		g.Say("reading logs of components and drivers")
		g.logs(ctx, w.Pods)
	}
	g.Say("reading metrics")
	g.metrics(ctx, w.Nodes)
	g.Say("reading files of %d nodes", len(w.Nodes))
	g.nodes(ctx, w.Nodes)
	if ctx.Err() != nil {
		g.missing("everything after the interruption", context.Cause(ctx))
	}
	if g.failed == nil {
		g.index(version.GitVersion, w)
	}
	return g.Result, g.failed
}

// errUnscrubbed is why logs are left out.
var errUnscrubbed = errors.New("left out: pods could not be listed, so that it is not known what of them must not be told")

type gathering struct {
	Config
	Result

	to    Sink
	scrub Scrubber
	// blind: pods could not be listed completely, so their values in logs are unknown.
	blind  bool
	failed error // of the sink
}

func (g *gathering) missing(what string, err error) {
	if err != nil {
		g.Missing = append(g.Missing, string(g.scrub.Scrub([]byte(fmt.Sprintf("%s: %v", what, err)))))
	}
}

// file writes a text with confidential values removed.
func (g *gathering) file(name string, content []byte) {
	if g.failed != nil {
		return
	}
	if !filepath.IsLocal(name) { // names come from nodes, too
		g.missing(name, errors.New("is not a name within what is gathered"))
		return
	}
	content = g.scrub.Scrub(content)
	if err := g.to.Write(name, content); err != nil {
		g.failed = fmt.Errorf("write %s: %w", name, err)
		return
	}
	g.Files = append(g.Files, Written{name, len(content)})
}

func (g *gathering) objects(w world) {
	for _, kind := range w.kinds {
		for _, o := range kind.items {
			Clean(o)
		}
		g.yaml("objects/"+kind.name+".yaml", kind.items)
	}
	var told []*corev1.Pod
	for i := range w.Pods {
		if usesClaims(&w.Pods[i]) {
			told = append(told, Pod(&w.Pods[i]))
		}
	}
	g.yaml("objects/pods.yaml", told)
	nodes := make([]*corev1.Node, 0, len(w.Nodes))
	for _, n := range w.Nodes {
		n.Annotations, n.ManagedFields, n.Status.Images = nil, nil, nil
		nodes = append(nodes, &n)
	}
	g.yaml("objects/nodes.yaml", nodes)
}

func (g *gathering) yaml(name string, content any) {
	text, err := yaml.Marshal(content)
	g.missing(name, err)
	if err == nil {
		g.file(name, text)
	}
}

// usesClaims tells whether a pod is DRA's.
func usesClaims(p *corev1.Pod) bool {
	return len(p.Spec.ResourceClaims) > 0 || p.Status.ExtendedResourceClaimStatus != nil
}

// events writes the events about pods with claims and about objects of resource.k8s.io.
func (g *gathering) events(ctx context.Context, w world) {
	events, err := list(ctx, g.Client.CoreV1().Events("").List, func(l *corev1.EventList) []corev1.Event { return l.Items })
	g.missing("events", err)
	ours := map[string]bool{}
	for i := range w.Pods {
		if usesClaims(&w.Pods[i]) {
			ours[w.Pods[i].Namespace+"/"+w.Pods[i].Name] = true
		}
	}
	var lines []string
	for _, e := range events {
		o := e.InvolvedObject
		if o.Kind == "Pod" && !ours[o.Namespace+"/"+o.Name] || o.Kind != "Pod" && !strings.HasPrefix(o.APIVersion, "resource.k8s.io/") {
			continue
		}
		at := slices.MaxFunc([]time.Time{e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time}, time.Time.Compare)
		lines = append(lines, fmt.Sprintf("%s %s %s/%s %s %s (%d times): %s", at.UTC().Format(time.RFC3339), strings.ToLower(o.Kind), o.Namespace, o.Name, e.Type, e.Reason, max(1, e.Count), e.Message))
	}
	slices.Sort(lines)
	g.file("events.txt", []byte(strings.Join(append(lines, ""), "\n")))
}
