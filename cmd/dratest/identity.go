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
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
)

// identityFlags identify the Kubernetes distribution or driver under test.
type identityFlags struct {
	schema.Implementation

	file string
	sign signFlags
}

func (f *identityFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "identity", "", "YAML file with organization, project, version, url and contact of the product under test; flags take precedence")
	flags.StringVar(&f.Organization, "organization", "", "vendor named in the conformance report")
	flags.StringVar(&f.Project, "project", "", "product under test: distribution, component or driver")
	flags.StringVar(&f.Version, "project-version", "", "version of --project (--version is that of Kubernetes)")
	flags.StringVar(&f.URL, "url", "", "website of --project")
	flags.StringSliceVar(&f.Contact, "contact", nil, "contact for questions about the report; repeatable")
	f.sign.add(flags)
}

// read returns the identity of the flags and the file, and the signer or nil.
func (f identityFlags) read(ctx context.Context) (schema.Implementation, sign.Signer, error) {
	var below schema.Implementation
	if f.file != "" {
		data, err := os.ReadFile(f.file)
		if err != nil {
			return below, nil, withCode(codeUsage, fmt.Errorf("identity: %w", err))
		}
		if err := yaml.UnmarshalStrict(data, &below); err != nil {
			return below, nil, withCode(codeUsage, fmt.Errorf("identity: read %s: %w", f.file, err))
		}
	}
	signer, err := f.sign.signer(ctx)
	return f.Over(below), signer, err
}
