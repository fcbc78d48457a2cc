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
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Checkpoint is the file of a node's evidence with the kubelet's checkpoint for DRA.
const Checkpoint = "dra_manager_state"

// PreparedClaim is a claim in a kubelet's checkpoint.
type PreparedClaim struct {
	ClaimUID             types.UID
	ClaimName, Namespace string
}

// ReadPrepared returns the claims in the checkpoint of a node's kubelet.
func ReadPrepared(ctx context.Context, agents AgentClient, node string) ([]PreparedClaim, error) {
	// A missing journal is no problem here.
	files, err := ReadEvidence(ctx, agents, node, time.Now())
	content, ok := files[Checkpoint]
	if !ok {
		return nil, fmt.Errorf("the kubelet's prepared claims cannot be read on node %s: %w", node, err)
	}
	claims, err := PreparedIn(content)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", node, err)
	}
	return claims, nil
}

// PreparedIn parses a kubelet's checkpoint: JSON, with the claims as JSON text in a field. An empty one has none.
func PreparedIn(checkpoint []byte) ([]PreparedClaim, error) {
	if len(checkpoint) == 0 {
		return nil, nil
	}
	var outer struct{ Data string }
	var inner struct{ ClaimInfoStateList []PreparedClaim }
	err := json.Unmarshal(checkpoint, &outer)
	if err == nil {
		err = json.Unmarshal([]byte(outer.Data), &inner)
	}
	if err != nil {
		return nil, fmt.Errorf("read the kubelet's checkpoint %s: %w", Checkpoint, err)
	}
	return inner.ClaimInfoStateList, nil
}
