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

package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/drivers/sim/evidence"
	"github.com/dra-conformance/dratest/drivers/sim/host"
	"github.com/dra-conformance/dratest/framework/agentapi"
)

// maxKubeletDown bounds the downtime of a stopped kubelet.
const maxKubeletDown = 2 * time.Minute

// GetEvidence implements agentapi.AgentServer.
func (c control) GetEvidence(ctx context.Context, r *agentapi.EvidenceRequest) (*agentapi.Evidence, error) {
	node := evidence.Node{Root: c.config.HostRoot, KubeletRoot: c.config.KubeletRoot, CDI: c.config.cdiDirs()}
	files, missing := evidence.Collect(ctx, node, timeOf(r.Since))
	return &agentapi.Evidence{Files: files, Missing: missing}, nil
}

// GetKubeletLines implements agentapi.AgentServer.
func (c control) GetKubeletLines(ctx context.Context, r *agentapi.LinesRequest) (*agentapi.Lines, error) {
	log, err := evidence.KubeletLines(ctx, c.config.HostRoot, timeOf(r.Since), r.Text)
	if err != nil {
		return &agentapi.Lines{Log: log, Problem: strings.ToValidUTF8(err.Error(), "?")}, nil
	}
	return &agentapi.Lines{Log: log}, nil
}

// GetKubeletDigest implements agentapi.AgentServer.
func (c control) GetKubeletDigest(ctx context.Context, _ *agentapi.NodeRequest) (*agentapi.Digest, error) {
	digest, err := host.ProgramDigest(ctx, c.config.podResources(), "/proc")
	return &agentapi.Digest{Digest: digest}, err
}

// GetPodResources implements agentapi.AgentServer.
func (c control) GetPodResources(ctx context.Context, r *agentapi.PodRequest) (*agentapi.JSON, error) {
	return encode(host.PodResources(ctx, c.config.podResources(), r.Namespace, r.Pod))
}

// GetPodMemory implements agentapi.AgentServer.
func (c control) GetPodMemory(_ context.Context, r *agentapi.PodMemoryRequest) (*agentapi.PodMemory, error) {
	bytes, err := host.PodMemory(c.config.HostRoot, r.Uid)
	return &agentapi.PodMemory{Bytes: bytes}, err
}

// ListCDIDevices implements agentapi.AgentServer.
func (c control) ListCDIDevices(ctx context.Context, r *agentapi.ContainerRequest) (*agentapi.Names, error) {
	names, err := host.CDIDevices(ctx, c.config.HostRoot, r.Container)
	return &agentapi.Names{Names: names}, err
}

// RestartKubelet implements agentapi.AgentServer.
func (c control) RestartKubelet(ctx context.Context, _ *agentapi.NodeRequest) (*emptypb.Empty, error) {
	return c.soon(ctx, host.RestartKubelet)
}

// StopKubelet implements agentapi.AgentServer.
func (c control) StopKubelet(ctx context.Context, r *agentapi.StopKubeletRequest) (*emptypb.Empty, error) {
	pause := r.Pause.AsDuration()
	if pause <= 0 || pause > maxKubeletDown {
		return nil, fmt.Errorf("%w: pause: %s is no time up to %s", ErrInvalid, pause, maxKubeletDown)
	}
	return c.soon(ctx, func(ctx context.Context, root string) error { return host.StopKubelet(ctx, root, pause) })
}

// RemoveCheckpoint implements agentapi.AgentServer.
func (c control) RemoveCheckpoint(ctx context.Context, _ *agentapi.NodeRequest) (*emptypb.Empty, error) {
	return c.soon(ctx, func(ctx context.Context, root string) error {
		return host.LoseCheckpoint(ctx, root, c.config.KubeletRoot)
	})
}

// Reboot implements agentapi.AgentServer.
func (c control) Reboot(ctx context.Context, _ *agentapi.NodeRequest) (*emptypb.Empty, error) {
	return c.soon(ctx, host.RestartNode)
}

// StopSandbox implements agentapi.AgentServer.
func (c control) StopSandbox(ctx context.Context, r *agentapi.PodRequest) (*emptypb.Empty, error) {
	return done(host.StopSandbox(ctx, c.config.HostRoot, r.Namespace, r.Pod))
}

// PutStaticPod implements agentapi.AgentServer.
func (c control) PutStaticPod(_ context.Context, r *agentapi.StaticPod) (*emptypb.Empty, error) {
	var manifest json.RawMessage
	if err := decode(r.Json, &manifest); err != nil {
		return nil, err
	}
	return done(host.PutStaticPod(c.config.HostRoot, r.Dir, r.Name, manifest))
}

// RemoveStaticPod implements agentapi.AgentServer.
func (c control) RemoveStaticPod(_ context.Context, r *agentapi.StaticPod) (*emptypb.Empty, error) {
	return done(host.RemoveStaticPod(c.config.HostRoot, r.Dir, r.Name))
}

// DamageFile implements agentapi.AgentServer.
func (c control) DamageFile(_ context.Context, r *agentapi.FileRequest) (*emptypb.Empty, error) {
	return done(nodefiles.Damage(c.config.HostRoot, r.Path))
}

// RestoreFile implements agentapi.AgentServer.
func (c control) RestoreFile(_ context.Context, r *agentapi.FileRequest) (*emptypb.Empty, error) {
	return done(nodefiles.Restore(c.config.HostRoot, r.Path))
}

// ListSpecs implements agentapi.AgentServer.
func (c control) ListSpecs(context.Context, *agentapi.NodeRequest) (*agentapi.Files, error) {
	files, err := c.config.cdiDirs().Read()
	return &agentapi.Files{Files: files}, err
}

// RemoveSpec implements agentapi.AgentServer.
func (c control) RemoveSpec(_ context.Context, r *agentapi.FileRequest) (*emptypb.Empty, error) {
	return done(c.config.cdiDirs().Remove(r.Path))
}

// ObstructSpec implements agentapi.AgentServer.
func (c control) ObstructSpec(_ context.Context, r *agentapi.FileRequest) (*emptypb.Empty, error) {
	return done(c.config.cdiDirs().Obstruct(r.Path))
}

// timeOf is the zero time if there is none.
func timeOf(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}
