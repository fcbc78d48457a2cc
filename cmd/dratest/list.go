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
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/cases"
)

func newListCommand() *cobra.Command {
	var filter plan.Filter
	var format string
	var mutants, upgrade bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cases with their checks, needs and requirements",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case format == "markdown" && mutants:
				return writeMutants(cmd.OutOrStdout())
			case format == "markdown":
				return writeCases(cmd.OutOrStdout(), filter, upgrade)
			}
			all := run.Metas(parts().Cases)
			if mutants {
				found, err := listMutants(all)
				if err != nil {
					return err
				}
				return printList(cmd.OutOrStdout(), format, found)
			}
			if upgrade {
				all = cases.Metas()
			}
			metas, err := selected(all, filter)
			if err != nil {
				return err
			}
			return printList(cmd.OutOrStdout(), format, listCases(metas))
		},
	}
	addFilterFlags(cmd.Flags(), &filter)
	cmd.Flags().BoolVar(&mutants, "mutants", false, "list the mutants of the test driver (for --mutant) instead of cases")
	cmd.Flags().BoolVar(&upgrade, "upgrade", false, "list the cases of \"dratest upgrade\"")
	cmd.Flags().StringVarP(&format, "output", "o", "", "output format: wide, json, yaml, or markdown (includes requirements and detected mutants) (default: table)")
	return cmd
}

// selected returns the cases matching a filter. None is an error.
func selected(all []spec.Meta, filter plan.Filter) ([]spec.Meta, error) {
	metas, err := plan.Select(all, filter)
	if err == nil && len(metas) == 0 {
		err = fmt.Errorf("none of the %d cases matches the filter", len(all))
	}
	return metas, withCode(codeUsage, err)
}

// listVersion is the schemaVersion of lists as JSON and YAML. It changes with a removed or redefined
// field.
const listVersion = "1"

// caseList is the machine-readable output of "dratest list".
type caseList struct {
	SchemaVersion string       `json:"schemaVersion"`
	Cases         []listedCase `json:"cases"`
}

type listedCase struct {
	spec.Meta

	Labels []string `json:"labels"`
}

func listCases(metas []spec.Meta) caseList {
	list := caseList{SchemaVersion: listVersion, Cases: make([]listedCase, 0, len(metas))}
	for _, m := range metas {
		list.Cases = append(list.Cases, listedCase{m, m.Labels()})
	}
	return list
}

// mutantList is the machine-readable output of "dratest list --mutants".
type mutantList struct {
	SchemaVersion string         `json:"schemaVersion"`
	Mutants       []listedMutant `json:"mutants"`
}

type listedMutant struct {
	ID       string   `json:"id"`
	Breaks   string   `json:"breaks"`
	CaughtBy []string `json:"caughtBy"`
}

func listMutants(metas []spec.Meta) (mutantList, error) {
	list := mutantList{SchemaVersion: listVersion}
	for _, m := range spec.Mutants() {
		caught, err := plan.Select(metas, plan.Filter{Mutant: spec.MutantID(m.ID)})
		if err != nil {
			return list, err
		}
		ids := make([]string, 0, len(caught))
		for _, c := range caught {
			ids = append(ids, c.ID)
		}
		list.Mutants = append(list.Mutants, listedMutant{m.ID, m.What, ids})
	}
	return list, nil
}

// printable is a list with a table form.
type printable interface {
	table() [][]string
	wideTable() [][]string
}

func printList(out io.Writer, format string, list printable) error {
	var data []byte
	var err error
	switch format {
	case "", "table":
		return writeTable(out, list.table(), tableWidth)
	case "wide":
		return writeTable(out, list.wideTable(), 0)
	case "json":
		data, err = json.MarshalIndent(list, "", "  ")
		data = append(data, '\n')
	case "yaml":
		data, err = yaml.Marshal(list)
	default:
		return withCode(codeUsage, fmt.Errorf("output %q is unknown: use wide, json, yaml or markdown, or leave --output out for a table", format))
	}
	if err != nil {
		return fmt.Errorf("encode the list: %w", err)
	}
	_, err = out.Write(data)
	return err
}
