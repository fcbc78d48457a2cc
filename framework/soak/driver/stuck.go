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

package driver

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Stuck is a claim whose calls have not succeeded.
type Stuck struct {
	Node   string
	Claim  spec.ClaimCall
	Method spec.Method
	Since  time.Time
	Calls  int
	last   spec.Call
}

// String describes the calls.
func (s Stuck) String() string {
	text := fmt.Sprintf("%s of claim %s/%s on node %s has not succeeded since %s: %d call(s), the last one ",
		s.Method, s.Claim.Namespace, s.Claim.Name, s.Node, s.Since.UTC().Format("15:04:05"), s.Calls)
	if s.last.InProgress {
		return text + "unanswered since " + s.last.Start.UTC().Format("15:04:05")
	}
	return text + "failed: " + spec.Printable(cmp.Or(s.last.Error, s.Claim.Error))
}

// Violation is a call that is stuck for too long.
func (s Stuck) Violation() audit.Violation {
	return audit.Violation{Rule: audit.CallStuck, Subject: fmt.Sprintf("%s %s %s", s.Node, s.Claim.UID, s.Method), Text: s.String()}
}

// StuckAt returns the calls that have not succeeded for longer than patience, oldest first. Claims not in exists are
// ignored: their calls may have bypassed the proxy.
func StuckAt(now time.Time, patience time.Duration, calls map[string][]spec.Call, exists map[types.UID]bool) (all []Stuck) {
	for node, list := range calls {
		open := map[types.UID]Stuck{}
		for _, call := range list {
			for _, claim := range call.Claims {
				was, waits := open[claim.UID]
				failed := call.InProgress || call.Error != "" || claim.Error != ""
				switch {
				case !failed:
					delete(open, claim.UID)
					continue
				case !waits || was.Method != call.Method:
					was = Stuck{Node: node, Method: call.Method, Since: call.Start}
				}
				was.Claim, was.last = claim, call
				was.Calls++
				open[claim.UID] = was
			}
		}
		for uid, s := range open {
			if exists[uid] && now.Sub(s.Since) > patience {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b Stuck) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Claim.UID, b.Claim.UID)) })
	return all
}
