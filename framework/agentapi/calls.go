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

package agentapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Encode returns plain data as JSON.
func Encode(v any) []byte {
	content, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("%T cannot be encoded: %v", v, err)) // it is no plain data
	}
	return content
}

// Decode is for the results of a call.
func Decode[T any](answer *JSON, err error) (T, error) {
	var v T
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(answer.Json, &v); err != nil {
		return v, fmt.Errorf("decode answer: %w", err)
	}
	return v, nil
}

// Start starts a driver instance on a node.
func Start(ctx context.Context, agents AgentClient, node string, config spec.DriverConfig) error {
	_, err := agents.StartDriver(ctx, &DriverSpec{Node: node, Driver: config.Name, Json: Encode(config)})
	return err
}

// Change changes a driver instance.
func Change(ctx context.Context, agents AgentClient, node, driver string, change spec.DriverChange) error {
	_, err := agents.ChangeDriver(ctx, &DriverSpec{Node: node, Driver: driver, Json: Encode(change)})
	return err
}

// Status returns the status of a driver instance.
func Status(ctx context.Context, agents AgentClient, node, driver string) (spec.DriverStatus, error) {
	return Decode[spec.DriverStatus](agents.GetDriverStatus(ctx, &DriverRequest{Node: node, Driver: driver}))
}

// Stop stops a driver instance.
func Stop(ctx context.Context, agents AgentClient, node, driver string) error {
	_, err := agents.StopDriver(ctx, &DriverRequest{Node: node, Driver: driver})
	return err
}

// ReadEvidence returns the evidence of a node, also if the error names what could not be read.
func ReadEvidence(ctx context.Context, agents AgentClient, node string, since time.Time) (map[string][]byte, error) {
	answer, err := agents.GetEvidence(ctx, &EvidenceRequest{Node: node, Since: timestamp(since)})
	if err == nil && len(answer.Missing) > 0 {
		err = fmt.Errorf("read evidence of node %s: %s", node, strings.Join(answer.Missing, "; "))
	}
	return answer.GetFiles(), err
}

// ReadKubeletLines returns the lines of a node's kubelet log that contain a text, also if the
// rest could not be read.
func ReadKubeletLines(ctx context.Context, agents AgentClient, node string, since time.Time, text string) ([]byte, error) {
	answer, err := agents.GetKubeletLines(ctx, &LinesRequest{Node: node, Since: timestamp(since), Text: text})
	if err == nil && answer.Problem != "" {
		err = errors.New("read the kubelet's log on node " + node + ": " + answer.Problem)
	}
	return answer.GetLog(), err
}

// timestamp leaves out a zero time: logs start at their beginning.
func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
