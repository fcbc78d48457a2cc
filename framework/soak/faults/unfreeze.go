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

package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/soak"
)

// UnfreezeContainers lets containers' processes go on that runc has frozen and was then killed
// (audit.Frozen), on nodes that are containers of this machine.
type UnfreezeContainers struct {
	Engine Engine
}

// unfreezeNode unfreezes below the directory $1 what is frozen, or about to be, now and $2
// seconds later, and prints its cgroups.
const unfreezeNode = `cd "$1" 2>/dev/null || exit 0
frozen=$(find . -name freezer.state -exec grep -lE "FROZEN|FREEZING" {} + 2>/dev/null)
[ -n "$frozen" ] || exit 0
sleep "$2"
for f in $frozen; do
	grep -qE "FROZEN|FREEZING" "$f" 2>/dev/null && echo THAWED 2>/dev/null >"$f" && echo "${f%/freezer.state}"
done; true`

// freezer is where cgroup v1 has what is frozen: with cgroup v2 frozen processes can be
// killed, and there is nothing to do. In held seconds runc is through with anything.
const (
	freezer = "/sys/fs/cgroup/freezer"
	held    = "5"
)

// Do unfreezes them, and returns what was frozen.
func (u UnfreezeContainers) Do(ctx context.Context, target soak.Target) ([]audit.Violation, error) {
	var found []audit.Violation
	var errs []error
	for _, node := range target.Workers {
		out, err := u.Engine.Run(ctx, "exec", node, "sh", "-c", unfreezeNode, "sh", freezer, held)
		if err != nil {
			errs = append(errs, fmt.Errorf("look for frozen containers on node %s: %w", node, err))
		}
		for cgroup := range strings.Lines(out) {
			cgroup = strings.TrimPrefix(strings.TrimSpace(cgroup), "./")
			found = append(found, audit.Violation{
				Rule: audit.Frozen, Subject: node + " " + cgroup,
				Text: fmt.Sprintf("processes on node %s were frozen in cgroup %s; they have been unfrozen", node, cgroup),
			})
		}
	}
	return found, errors.Join(errs...)
}
