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

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
)

// Check returns the table of prerequisites. It takes about two seconds because it runs a privileged container if an
// engine is running. It leaves nothing behind. The error is ctx's.
func Check(ctx context.Context) ([]Row, error) {
	f := gather(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("check the machine: %w", context.Cause(ctx))
	}
	return judge(f), nil
}

// Problem returns an error wrapping clusters.ErrEnvironment with the missing prerequisites and advice, nil if nothing
// is missing.
func Problem(rows []Row) error {
	var problems []string
	for _, row := range rows {
		// A row without advice follows from another one with advice.
		if row.State == Missing && row.Advice != "" {
			problems = append(problems, fmt.Sprintf("%s: %s (%s)", row.Name, row.Found, row.Advice))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", clusters.ErrEnvironment, strings.Join(problems, "; "))
}

// Fix installs and starts missing prerequisites as root on Debian or Ubuntu, announcing each step with its usual
// duration. A running engine is never changed or restarted. If something required is still missing, the error wraps
// clusters.ErrEnvironment with advice.
func Fix(ctx context.Context, p *progress.Printer) error {
	return remedy(ctx, p, true)
}

// Ensure makes sure clusters can run on this machine: it starts an installed engine after a stop or crash, and
// installs nothing. The error wraps clusters.ErrEnvironment with advice.
func Ensure(ctx context.Context, p *progress.Printer) error {
	return remedy(ctx, p, false)
}

func remedy(ctx context.Context, p *progress.Printer, mayInstall bool) error {
	before, err := examine(ctx, mayInstall)
	if err != nil {
		return err
	}
	if !before.fixable(mayInstall) {
		return Problem(before.rows)
	}
	unlock, err := lock(ctx, p)
	if err != nil {
		return err
	}
	defer unlock()
	// Another dratest may have done it meanwhile.
	if before, err = examine(ctx, mayInstall); err != nil || !before.fixable(mayInstall) {
		return errors.Join(err, Problem(before.rows))
	}
	failure := apply(ctx, p, before.facts, mayInstall)
	if ctx.Err() != nil {
		return fmt.Errorf("prepare the machine: %w", context.Cause(ctx))
	}
	after, err := examine(ctx, mayInstall)
	if err != nil {
		return err
	}
	if problem := Problem(after.rows); problem != nil {
		if failure != nil {
			return failure // the cause of the problem
		}
		return problem
	}
	if failure != nil {
		p.Printf("  -- clusters can run, but: %v", failure)
	}
	return nil
}

func apply(ctx context.Context, p *progress.Printer, f facts, mayInstall bool) error {
	var failure error
	if names := packages(f); mayInstall && len(names) > 0 {
		failure = setUp(ctx, p, f, names)
		f.Daemon = found("dockerd")
		if f.Client = gatherClient(ctx); f.Client.Version != "" {
			f.Engine = engine{}
			gatherEngine(ctx, &f)
		}
	}
	var err error
	switch {
	case f.Engine.Version == "" && f.Daemon != "" && f.Client.Elsewhere == "" && judgeEngine(f).Fixable:
		err = startEngine(ctx, p, f)
	case f.Engine.Privileged == fails && f.Engine.Runtime == runtimeName:
		err = p.Step("install "+wrapperPath, 5*time.Second, func() error { return installWrapper(ctx) })
	}
	return errors.Join(failure, err)
}

// setUp installs packages, after writing the engine configuration needed for privileged containers here.
func setUp(ctx context.Context, p *progress.Printer, f facts, names []string) error {
	p.Printf("Installing %s from this machine's package sources (usually 30 to 60 s).", strings.Join(names, ", "))
	if withEngine := slices.Contains(names, "docker.io"); withEngine && len(f.Missing) > 0 {
		p.Printf("This machine lacks %s: the engine gets %s as its default runtime.", strings.Join(f.Missing, ", "), wrapperName)
		err := p.Step("install "+wrapperPath, 5*time.Second, func() error { return installWrapper(ctx) })
		if err != nil {
			return err
		}
		written, err := configureBeforeInstall()
		if err != nil {
			return err
		}
		if written {
			if err := updateMarker(stateDir, func(m *marker) { m.Config = engineConfig }); err != nil {
				return err
			}
		}
	}
	names, err := installPackages(ctx, p, names)
	if err != nil {
		return err
	}
	return updateMarker(stateDir, func(m *marker) {
		m.Packages = slices.Compact(slices.Sorted(slices.Values(append(m.Packages, names...))))
		m.Installed = time.Now().UTC().Truncate(time.Second)
	})
}

// startEngine starts an installed engine, through systemd if present.
func startEngine(ctx context.Context, p *progress.Printer, f facts) error {
	d := theDaemon()
	if f.Systemd {
		return p.Step("systemctl start docker", 10*time.Second, func() error {
			if _, err := ask(ctx, nil, "systemctl", "start", "--no-block", "docker"); err != nil {
				return fmt.Errorf("%w: systemctl start docker: %w", clusters.ErrEnvironment, err)
			}
			if err := d.await(ctx, nil); err != nil {
				return fmt.Errorf("%w: start the engine: %w (\"journalctl -u docker\" says why)", clusters.ErrEnvironment, err)
			}
			return nil
		})
	}
	if len(f.Missing) > 0 {
		config, err := os.ReadFile(engineConfig)
		if err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("read the engine's configuration: %w", err)
		}
		if d.Args, err = runtimeFlags(config); err != nil {
			return err
		}
		if err := p.Step("install "+wrapperPath, 5*time.Second, func() error { return installWrapper(ctx) }); err != nil {
			return err
		}
	}
	name := strings.Join(append([]string{"start dockerd"}, d.Args...), " ")
	if err := p.Step(name, 10*time.Second, func() error { return d.start(ctx) }); err != nil {
		return fmt.Errorf("%w: %w", clusters.ErrEnvironment, err)
	}
	return updateMarker(stateDir, func(m *marker) {
		m.Command, m.Started = append([]string{d.Program}, d.Args...), time.Now().UTC().Truncate(time.Second)
	})
}

// lock prevents concurrent installs and starts.
func lock(ctx context.Context, p *progress.Printer) (unlock func(), err error) {
	if err := os.MkdirAll(stateDir, 0o755); err != nil {
		return nil, fmt.Errorf("lock the machine: %w", err)
	}
	machine := flock.New(filepath.Join(stateDir, "lock"))
	locked, err := machine.TryLock()
	if err == nil && !locked {
		err = p.Step("wait for another dratest that prepares this machine", time.Minute, func() error {
			_, err := machine.TryLockContext(ctx, 200*time.Millisecond)
			return err
		})
	}
	if err != nil {
		_ = machine.Close()
		return nil, fmt.Errorf("lock the machine: %w", err)
	}
	return func() { _ = machine.Close() }, nil
}
