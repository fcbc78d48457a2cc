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

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// RunHook runs a hook on this machine. Errors wrap ErrNotThere and have the end of the hook's output.
func RunHook(ctx context.Context, name string, h declarations.Hook, env ...string) error {
	if _, err := (run.Machine{}).RunHook(ctx, spec.HookName(name), spec.Hook{Command: h.Command, Timeout: h.Timeout}, env...); err != nil {
		return fmt.Errorf("%w: %w", ErrNotThere, err)
	}
	return nil
}

// uninstalled records the driver's leftovers.
func (c *running) uninstalled(left []string) {
	for _, what := range left {
		c.notes = append(c.notes, "uninstalling leaves "+what)
	}
}

// between runs do between the hooks install and uninstall, if requested, and a final function after uninstall. That
// also removes leftovers of a failed install.
func (o Options) between(ctx context.Context, do func() (schema.Report, error), then func() error) (r schema.Report, err error) {
	if !o.Install {
		return do()
	}
	install, uninstall := o.Declaration.Hooks.Install, o.Declaration.Hooks.Uninstall
	if install.IsZero() {
		return r, fmt.Errorf("%w: hooks.install is not declared", ErrNotThere)
	}
	defer func() {
		if uninstall.IsZero() {
			return
		}
		failed := o.hook(context.WithoutCancel(ctx), "uninstall", uninstall)
		if failed == nil && ctx.Err() == nil {
			failed = then()
		}
		err = errors.Join(err, failed)
	}()
	if err := o.hook(ctx, "install", install); err != nil {
		return r, err
	}
	return do()
}

func (o Options) hook(ctx context.Context, name string, h declarations.Hook) error {
	_, _ = fmt.Fprintf(o.Run.Out, "hook %s: %q\n", name, h.Command)
	return RunHook(ctx, name, h, o.environment(spec.HookName(name))...)
}

func (o Options) hooks() map[spec.HookName]spec.Hook {
	all := map[spec.HookName]spec.Hook{}
	for name, h := range o.Declaration.Hooks.All() {
		if !h.IsZero() {
			all[spec.HookName(name)] = spec.Hook{
				OnNode: h.RunsOn == declarations.OnNode, Command: h.Command, Environment: o.environment(spec.HookName(name)), Timeout: cmp.Or(h.Timeout, run.HookTime),
			}
		}
	}
	return all
}

// environment has a hook's environment variables.
func (o Options) environment(name spec.HookName) []string {
	version := o.Declaration.Identity.Version
	if name == spec.HookDowngrade {
		version = o.Declaration.Deploy.PreviousVersion
	}
	env := append(KubeconfigOf(o.Run.Kubeconfig), spec.HookVersion+"="+version)
	if o.Cluster != "" {
		env = append(env, spec.HookCluster+"="+o.Cluster)
	}
	return env
}

// KubeconfigOf is the environment of hooks for a kubeconfig; without one, as in a Job, they use the pod's account.
func KubeconfigOf(kubeconfig string) []string {
	if kubeconfig == "" {
		return nil
	}
	return []string{"KUBECONFIG=" + kubeconfig}
}
