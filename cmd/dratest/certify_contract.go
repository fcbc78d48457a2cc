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

package main

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// certifyMetas returns the cases and the checks of a certification.
func certifyMetas() []spec.Meta {
	return append(run.Metas(certify.Cases(suites.All())), sanity.Metas()...)
}

// contract returns the sanity checks as part of a certification.
func contract() certify.Contract {
	return certify.Contract{Metas: sanity.Metas(), Run: checkContract}
}

func checkContract(ctx context.Context, b *testbed.Testbed, d certify.ContractDriver) error {
	agents, err := client.New(b.REST)
	if err != nil {
		return err
	}
	defer agents.Close()
	o := sanity.Options{
		Driver: d.Declaration.Driver, Node: d.Node, Client: b.Client, Class: d.Declaration.Classes[0].Name, Only: d.Only,
		PublishTimeout: cmp.Or(d.Declaration.Limits.Republish, spec.DefaultRepublish), Features: d.Features, CheckpointPaths: d.Declaration.Deploy.CheckpointPaths,
		Restart: d.Restart, Upgrade: d.Upgrade, Downgrade: d.Downgrade, Ended: d.Ended,
		Namespace: spec.NamespaceMeta(d.Declaration.Namespace),
		Adapt:     func(p *corev1.Pod) (*corev1.Pod, error) { return objects.Templated(p, d.Declaration.Workload.Template) },
	}
	if o.ValidConfig, o.InvalidConfig, err = d.Declaration.Config.Encoded(); err != nil {
		return err
	}
	_, err = sanity.Run(ctx, onNode{agents: agents, node: d.Node, driver: o.Driver}, o)
	return err
}
