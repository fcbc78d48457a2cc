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

package run

import (
	"context"
	"errors"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// Prepare brings up everything for a run: a testbed with its plan, and with agents on its nodes if the plan is not
// empty.
func (r *running) Prepare(ctx context.Context) error {
	o := r.options
	chosen, err := selected(r.parts, o.Filter)
	if err != nil {
		return err
	}
	if err := r.open(ctx, chosen); err != nil {
		return err
	}
	if err := r.examine(ctx); err != nil || r.plan.Runs() == 0 {
		return err
	}
	var nodes []string
	if r.plan.RunsOnNodes() {
		nodes = r.testbed.Target.Workers()
	}
	if err := r.testbed.Install(ctx, nodes); err != nil {
		return err
	}
	if err := r.installCompanions(ctx); err != nil {
		return err
	}
	// The agents can identify the kubelets' programs.
	r.testbed.Identify(ctx, o.AssumeStock, len(nodes) > 0)
	r.plan.Target = r.testbed.Target
	r.digests = r.testbed.DriverDigests(ctx)
	if err := r.setNodeAside(ctx); err != nil {
		return err
	}
	if r.parts.DriverUnderTest != nil {
		return r.parts.DriverUnderTest.Before(ctx, r.testbed)
	}
	return nil
}

// examine probes the cluster, plans for it and checks the rights of the run's account.
func (r *running) examine(ctx context.Context) error {
	err := r.look(ctx)
	r.leaveOutForbidden(ctx)
	if r.plan.Runs() > 0 || apierrors.IsForbidden(err) {
		// Name all missing rights, not only the one causing the failure.
		if err := r.checkRights(ctx); err != nil {
			return err
		}
	}
	return err
}

func (r *running) checkRights(ctx context.Context) error {
	rules := access.Rules(r.options.Disruptive)
	switch {
	case !r.options.Existing():
		return nil
	case r.parts.DriverUnderTest != nil:
		rules = access.Certifying()
	}
	return access.Check(ctx, r.testbed.Client, rules)
}

// leaveOutForbidden drops cases of APIs off by default from the plan if the run's account has no rights for them: the
// printed role has none.
func (r *running) leaveOutForbidden(ctx context.Context) {
	for feature, rules := range map[spec.Feature][]rbacv1.PolicyRule{spec.PoolStatus: access.PoolRequests(), spec.WorkloadClaims: access.PodGroups()} {
		if !r.options.Existing() || !r.plan.RunsWith(feature) {
			continue
		}
		err := access.Check(ctx, r.testbed.Client, rules)
		if missing := (access.MissingError{}); errors.As(err, &missing) {
			r.plan = plan.WithoutPermission(r.plan, feature,
				fmt.Sprintf("uses an API that is off by default, for which the printed role has no rights: let the run's account %s", access.List(missing.Rights)))
		}
	}
}

// selected returns the cases to run, or fails if there are none, before anything is brought up.
func selected(parts Parts, filter plan.Filter) ([]spec.Meta, error) {
	metas := parts.Metas()
	if err := plan.Validate(metas); err != nil {
		return nil, err
	}
	found, err := plan.Select(metas, filter)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: none of the %d cases matches the filter; `dratest list` shows their IDs and labels", ErrNothingRan, len(metas))
	}
	return found, err
}

// look probes the cluster and plans for it.
func (r *running) look(ctx context.Context) (err error) {
	o, b := r.options, r.testbed
	if err := b.Look(ctx); err != nil {
		return err
	}
	b.Identify(ctx, o.AssumeStock, false)
	b.Target.Disruptable = !o.Existing() || o.Disruptive
	b.Target.Restartable = !o.Existing() || o.RestartNodes
	if r.parts.DriverUnderTest != nil {
		// Find creates pods.
		if err := r.checkRights(ctx); err != nil {
			return err
		}
		found, err := r.parts.DriverUnderTest.Find(ctx, b)
		if err != nil {
			return err
		}
		b.Target.DriverUnderTest = &found
	}
	if r.plan, err = plan.Build(r.parts.Metas(), b.Target, o.Filter); err != nil {
		return err
	}
	r.clients = companionClients{}
	for _, c := range r.parts.Companions {
		if err := r.find(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
