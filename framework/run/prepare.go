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
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// prepared is a testbed with a plan for it, and with agents on its nodes if the plan
// has anything to run.
type prepared struct {
	*testbed.Testbed

	plan spec.Plan
	// digests are those of the test driver's images.
	digests []string
	found   found
}

// prepare brings everything up that a run needs. What it returns must be closed if it
// has a testbed, even if there is an error.
func prepare(ctx context.Context, parts Parts, o Options) (prepared, error) {
	if _, err := selected(parts, o.Filter); err != nil {
		return prepared{}, err
	}
	b, err := testbed.Open(ctx, parts.Parts, o.Config)
	p := prepared{Testbed: b}
	if err != nil {
		return p, err
	}
	if err := p.examine(ctx, parts, o); err != nil || p.plan.Runs() == 0 {
		return p, err
	}
	var nodes []string
	if p.plan.RunsOnNodes() {
		nodes = p.Target.Workers()
	}
	if err := p.Install(ctx, nodes); err != nil {
		return p, err
	}
	if err := p.installCompanions(ctx, parts.Companions, o.Keep); err != nil {
		return p, err
	}
	// The agents can tell which programs the kubelets are.
	p.Identify(ctx, o.AssumeStock, len(nodes) > 0)
	p.plan.Target = p.Target
	p.digests = p.DriverDigests(ctx)
	if parts.Subject != nil {
		return p, parts.Subject.Before(ctx, p.Testbed)
	}
	return p, nil
}

// examine probes the cluster, plans for it and checks the rights of the run's account.
func (p *prepared) examine(ctx context.Context, parts Parts, o Options) error {
	err := p.look(ctx, parts, o)
	p.leaveOutForbidden(ctx, o)
	if o.Existing() && (p.plan.Runs() > 0 || apierrors.IsForbidden(err)) {
		// Name all missing rights, not only the one that look failed for.
		if err := access.Check(ctx, p.Client, access.Rules(o.Disruptive)); err != nil {
			return err
		}
	}
	return err
}

// leaveOutForbidden leaves cases of APIs that are off by default out of the plan if the run's
// account has no rights for these: the printed role has none.
func (p *prepared) leaveOutForbidden(ctx context.Context, o Options) {
	for feature, rules := range map[spec.Feature][]rbacv1.PolicyRule{spec.PoolStatus: access.PoolRequests(), spec.WorkloadClaims: access.PodGroups()} {
		if !o.Existing() || !p.plan.RunsWith(feature) {
			continue
		}
		err := access.Check(ctx, p.Client, rules)
		if missing := (access.MissingError{}); errors.As(err, &missing) {
			p.plan = plan.WithoutPermission(p.plan, feature,
				fmt.Sprintf("uses an API that is off by default, for which the printed role has no rights: let the run's account %s", access.List(missing.Rights)))
		}
	}
}

// close removes what prepare made.
func (p prepared) close(ctx context.Context, again <-chan struct{}) error {
	if p.Testbed == nil {
		return nil
	}
	return p.Close(ctx, again)
}

// selected returns what there is to run, or fails if that is nothing, before anything
// is brought up.
func selected(parts Parts, filter plan.Filter) ([]spec.Meta, error) {
	metas := Metas(parts.Cases)
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
func (p *prepared) look(ctx context.Context, parts Parts, o Options) (err error) {
	if err := p.Look(ctx); err != nil {
		return err
	}
	p.Identify(ctx, o.AssumeStock, false)
	p.Target.Disruptable = !o.Existing() || o.Disruptive
	p.Target.Restartable = !o.Existing() || o.RestartNodes
	if parts.Subject != nil {
		found, err := parts.Subject.Find(ctx, p.Testbed)
		if err != nil {
			return err
		}
		p.Target.Subject = &found
	}
	if p.plan, err = plan.Build(Metas(parts.Cases), p.Target, o.Filter); err != nil {
		return err
	}
	p.found = found{}
	for _, c := range parts.Companions {
		if err := p.find(ctx, c, o); err != nil {
			return err
		}
	}
	return nil
}
