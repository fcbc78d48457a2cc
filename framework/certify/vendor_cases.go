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
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// keptOutput limits the output of a vendor's case in the report, in bytes: its end is kept.
const keptOutput = 4 << 10

// vendorCases runs the vendor's own cases. They never affect the verdict.
func (o Options) vendorCases(ctx context.Context) (results []schema.VendorCase) {
	for _, c := range o.Declaration.Cases {
		if ctx.Err() != nil {
			return results
		}
		limit := cmp.Or(c.Timeout, run.HookTime)
		started, last := time.Now(), &lastOutput{}
		limited, cancel := context.WithTimeout(ctx, limit)
		_, err := command.Run(limited, command.Cmd{Args: c.Command, Env: o.environment(""), Stdout: last, Contained: true})
		timedOut := limited.Err() != nil && ctx.Err() == nil
		cancel()
		r := schema.VendorCase{Name: c.Name, Promise: c.Promise, Status: spec.Passed, DurationSeconds: time.Since(started).Round(time.Millisecond).Seconds()}
		output := string(last.kept)
		if failed := (*command.Error)(nil); errors.As(err, &failed) {
			output += "\n" + failed.Output
		}
		var exit *exec.ExitError
		switch {
		case err == nil:
		case timedOut:
			r.Status, r.Reason = spec.Failed, fmt.Sprintf("did not end within %s", limit)
		case errors.As(err, &exit):
			r.Status, r.ExitCode, r.Reason = spec.Failed, exit.ExitCode(), exit.String()
		default:
			r.Status, r.Reason = spec.Blocked, spec.Printable(err.Error())
		}
		r.Output = strings.TrimSpace(spec.Printable(tailOf(output)))
		_, _ = fmt.Fprintf(o.Run.Out, "vendor's case %s: %s\n", r.Name, r.Line())
		results = append(results, r)
	}
	return results
}

func tailOf(text string) string { return text[max(0, len(text)-keptOutput):] }

// lastOutput keeps the end of the output in bounded memory.
type lastOutput struct{ kept []byte }

func (l *lastOutput) Write(p []byte) (int, error) {
	l.kept = append(l.kept, p...)
	if len(l.kept) > 2*keptOutput {
		l.kept = append([]byte(nil), l.kept[len(l.kept)-keptOutput:]...)
	}
	return len(p), nil
}
