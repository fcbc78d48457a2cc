package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/reports/schema"
)

// identityFlags say whose Kubernetes, or whose driver, is tested.
type identityFlags struct {
	file string
	schema.Implementation
}

func (f *identityFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "identity", "", "YAML file with organization, project, version, url and contact for the conformance report; flags take precedence")
	flags.StringVar(&f.Organization, "organization", "", "who made what is tested, for the conformance report")
	flags.StringVar(&f.Project, "project", "", "name of the distribution, component or driver that is tested")
	flags.StringVar(&f.Version, "project-version", "", "version of --project (--version is that of Kubernetes)")
	flags.StringVar(&f.URL, "url", "", "web page of --project")
	flags.StringSliceVar(&f.Contact, "contact", nil, "how to reach those who can answer questions about the report; repeatable")
}

// identity is what the flags say, with the rest from the file.
func (f identityFlags) identity() (schema.Implementation, error) {
	var below schema.Implementation
	if f.file != "" {
		data, err := os.ReadFile(f.file)
		if err != nil {
			return below, withCode(codeUsage, fmt.Errorf("identity: %w", err))
		}
		if err := yaml.UnmarshalStrict(data, &below); err != nil {
			return below, withCode(codeUsage, fmt.Errorf("identity: read %s: %w", f.file, err))
		}
	}
	return f.Over(below), nil
}
