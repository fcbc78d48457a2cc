package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/run"
	"github.com/dra-conformance/dratest/upgrade/cases"
)

func newListCommand() *cobra.Command {
	var filter plan.Filter
	var format string
	var mutants, upgrade bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the cases with what they check, need and require",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if mutants {
				return listMutants(cmd.OutOrStdout(), run.Metas(parts().Cases))
			}
			all := run.Metas(parts().Cases)
			if upgrade {
				all = cases.Metas()
			}
			metas, err := plan.Select(all, filter)
			if err != nil {
				return withCode(codeUsage, err)
			}
			return list(cmd.OutOrStdout(), format, metas)
		},
	}
	addFilterFlags(cmd.Flags(), &filter)
	cmd.Flags().BoolVar(&mutants, "mutants", false, "list the ways in which the test driver can be broken (for --mutant) instead")
	cmd.Flags().BoolVar(&upgrade, "upgrade", false, "list the cases of \"dratest upgrade\" instead of those of \"dratest run\"")
	cmd.Flags().StringVarP(&format, "output", "o", "table", "table, json or yaml")
	return cmd
}

// listed is a case as JSON and YAML show it.
type listed struct {
	spec.Meta

	Labels []string `json:"labels"`
}

func list(out io.Writer, format string, metas []spec.Meta) error {
	all := make([]listed, 0, len(metas))
	for _, m := range metas {
		all = append(all, listed{m, plan.Labels(m)})
	}
	var data []byte
	var err error
	switch format {
	case "table":
		return listTable(out, all)
	case "json":
		data, err = json.MarshalIndent(all, "", "  ")
		data = append(data, '\n')
	case "yaml":
		data, err = yaml.Marshal(all)
	default:
		return withCode(codeUsage, fmt.Errorf("output %q is unknown: use table, json or yaml", format))
	}
	if err != nil {
		return fmt.Errorf("list cases: %w", err)
	}
	_, err = out.Write(data)
	return err
}

func listTable(out io.Writer, all []listed) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tLABELS\tNEEDS\tREQUIRES\tCHECKS")
	for _, c := range all {
		var requires []string
		for _, r := range c.Requires {
			requires = append(requires, string(r))
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.ID, strings.Join(c.Labels, ","), needs(c.Needs), strings.Join(requires, ","), c.Checks)
	}
	return w.Flush()
}

// needs is one short line, "-" for a case that any cluster can run.
func needs(n spec.Needs) string {
	var all []string
	for _, f := range n.Features {
		all = append(all, string(f))
	}
	if n.NoNode {
		all = append(all, "no node")
	}
	if n.Nodes > 1 {
		all = append(all, fmt.Sprintf("%d nodes", n.Nodes))
	}
	for _, v := range n.GRPC {
		all = append(all, "gRPC "+string(v))
	}
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ",")
}

func listMutants(out io.Writer, metas []spec.Meta) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "MUTANT\tBREAKS\tCAUGHT BY")
	for _, m := range spec.Mutants() {
		caught, err := plan.Select(metas, plan.Filter{Mutant: m.ID})
		if err != nil {
			return err
		}
		var ids []string
		for _, c := range caught {
			ids = append(ids, c.ID)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", m.ID, m.What, strings.Join(ids, ","))
	}
	return w.Flush()
}
