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

package certify

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// nodeView has the information needed to determine the owner of node state.
type nodeView struct {
	driver string
	// ofRun and ofOthers are the UIDs of claims in the cluster.
	ofRun, ofOthers []string
}

// takeNodes adds CDI files, sockets and the claims in kubelets' checkpoints.
func (s snapshot) takeNodes(ctx context.Context, b *testbed.Testbed, view nodeView, nodes []string) error {
	agents, err := b.Agents(ctx)
	if err != nil {
		return fmt.Errorf("connect to the agents: %w", err)
	}
	for _, node := range nodes {
		// A missing journal is no problem here.
		files, err := agentapi.ReadEvidence(ctx, agents, node, time.Now())
		if _, ok := files[agentapi.Checkpoint]; !ok {
			return fmt.Errorf("%w on node %s: the kubelet's prepared claims cannot be read; correct nodes.kubeletRoot if that is not the kubelet's root directory: %w", ErrNotThere, node, err)
		}
		if err := s.takeNode(node, view, files); err != nil {
			return fmt.Errorf("read node %s: %w", node, err)
		}
	}
	return nil
}

// takeNode adds the things in these files of a node.
func (s snapshot) takeNode(node string, view nodeView, files map[string][]byte) error {
	at := "on node " + node + ": "
	prepared, err := agentapi.PreparedIn(files[agentapi.Checkpoint])
	if err != nil {
		return err
	}
	for _, c := range prepared {
		whose := others
		if strings.HasPrefix(c.Namespace, harness.NamespacePrefix) {
			whose = ofRun
			view.ofRun = append(slices.Clip(view.ofRun), string(c.ClaimUID))
		} else {
			view.ofOthers = append(slices.Clip(view.ofOthers), string(c.ClaimUID))
		}
		s[at+fmt.Sprintf("claim %s/%s (%s) in the kubelet's checkpoint", c.Namespace, c.ClaimName, c.ClaimUID)] = thing{digest: "there", whose: whose}
	}
	for name, content := range files {
		if file, is := strings.CutPrefix(name, "cdi/"); is {
			s[at+"CDI file "+file] = thing{digest: digest(content), whose: view.ofFile(file + "\n" + string(content))}
		}
	}
	for socket := range strings.FieldsSeq(string(files["sockets"])) {
		t := thing{digest: "there"}
		if spec.Names(view.driver, socket) {
			// A new process of the driver may use other socket names.
			t.whose, t.kind = ofDriver, at+path.Dir(socket)
		}
		s[at+"socket "+socket] = t
	}
	return nil
}

// ofFile returns the owner of a CDI file by its name and content. A file of the driver belongs to a claim of the run
// unless it names another claim.
func (v nodeView) ofFile(text string) owner {
	has := func(uid string) bool { return strings.Contains(text, uid) }
	switch {
	case slices.ContainsFunc(v.ofRun, has):
		return ofRun
	case slices.ContainsFunc(v.ofOthers, has), !spec.Names(v.driver, text):
		return others
	default:
		return ofRun
	}
}
