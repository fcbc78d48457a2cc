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

// UnfreezeContainers thaws containers' processes left frozen by a killed runc (audit.Frozen), on nodes as local
// containers.
type UnfreezeContainers struct {
	Engine Engine
}

// unfreezeNode thaws processes below the directory $1 frozen now or within $2 seconds, and prints their cgroups.
const unfreezeNode = `cd "$1" 2>/dev/null || exit 0
frozen=$(find . -name freezer.state -exec grep -lE "FROZEN|FREEZING" {} + 2>/dev/null)
[ -n "$frozen" ] || exit 0
sleep "$2"
for f in $frozen; do
	grep -qE "FROZEN|FREEZING" "$f" 2>/dev/null && echo THAWED 2>/dev/null >"$f" && echo "${f%/freezer.state}"
done; true`

// freezer is the cgroup v1 freezer: with cgroup v2 frozen processes can be killed, and nothing needs to be done.
// After held seconds runc is done with any operation.
const (
	freezer = "/sys/fs/cgroup/freezer"
	held    = "5"
)

// Do thaws them, and returns the frozen cgroups.
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
