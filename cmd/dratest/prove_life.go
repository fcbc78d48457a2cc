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
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/lifecycle"
)

func (f *proveFlags) lifecycle(context.Context) (prove.Proof, prove.Prover, error) {
	proof := lifecycle.Proof()
	proof.Where = f.where()
	d, err := declarations.Shipped("dra-sim")
	if err != nil {
		return proof, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return proof, nil, fmt.Errorf("find dratest: %w", err)
	}
	// The declaration's hooks call dratest.
	err = os.Setenv("PATH", filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err != nil {
		return proof, nil, fmt.Errorf("set PATH for hooks: %w", err)
	}
	p, _ := f.cases()
	return proof, &lifecycle.Prover{
		Parts: p, Config: f.Config, Declaration: d.Declaration,
		Install: func(ctx context.Context, cluster, mutant string) error {
			if mutant == "" {
				if err := forgetClaims(ctx, cluster, d.Declaration.Driver); err != nil {
					return err
				}
			}
			return installAgain(ctx, self, cluster, mutant)
		},
	}, nil
}

// forgetClaims removes a driver's CDI files from all nodes: leftovers of a bug would block devices for
// claims of the next driver.
func forgetClaims(ctx context.Context, cluster, driver string) error {
	machines, err := providers.NewClusters(progress.New(io.Discard)).Machines(ctx, cluster)
	if err != nil {
		return err
	}
	for _, m := range machines {
		if _, err := m.Run(ctx, nil, "sh", "-c", `rm -f /var/run/cdi/"$1"-*`, "sh", driver); err != nil {
			return fmt.Errorf("remove CDI files from %s: %w", m, err)
		}
	}
	return nil
}

// installAgain reinstalls dra-sim with another bug and sets the bug for hooks.
func installAgain(ctx context.Context, self, cluster, mutant string) error {
	if err := os.Setenv(mutantVariable, mutant); err != nil {
		return errors.Join(errors.New("set the bug for hooks"), err)
	}
	_, err := command.Run(ctx, command.Cmd{Args: []string{self, "certify", "install", "dra-sim", "--name", cluster, "--bug", mutant}})
	return err
}
