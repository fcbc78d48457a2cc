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
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/existing"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
)

// target selects the provider of a command.
type target struct {
	kubeconfig, context string
}

func (t target) exists() bool { return t.kubeconfig != "" || t.context != "" }

// provider returns the existing cluster of the flags, or kind.
func (t target) provider(out io.Writer) clusters.Provider {
	p := progress.New(out)
	if t.exists() {
		return &existing.Provider{Kubeconfig: t.kubeconfig, Context: t.context, Progress: p}
	}
	return providers.NewClusters(p)
}

func newClusterCommand() *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Create, list, inspect, load, switch, compare and delete test clusters",
		Long: `Create, list, inspect, switch and delete test clusters.

Clusters are kind clusters, or local processes with provider controlplane. Each has
its own kubeconfig; ~/.kube/config is changed only on request. With --kubeconfig or
--context the commands use an existing cluster: create checks that it is suitable,
delete removes the objects that dratest left in it.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&t.kubeconfig, "kubeconfig", "", "use this existing cluster instead of kind")
	cmd.PersistentFlags().StringVar(&t.context, "context", "", "use the existing cluster of this kubeconfig context instead of kind")
	cmd.AddCommand(newClusterCreateCommand(&t), newClusterListCommand(&t), newClusterLogsCommand(&t), newClusterSwitchCommand(&t),
		newClusterCompareCommand(), newClusterLoadCommand(&t), newClusterDeleteCommand(&t), newClusterKubeconfigCommand())
	return cmd
}

// usage turns invalid arguments into a usage error.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return withCode(codeUsage, check(cmd, args))
	}
}

func newClusterListCommand(t *target) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List clusters created by dratest",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "" && format != "json" {
				return withCode(codeUsage, fmt.Errorf("unknown output %q: known is json", format))
			}
			found, err := t.provider(cmd.ErrOrStderr()).List(cmd.Context())
			if err != nil && len(found) == 0 {
				return err
			}
			// One of several providers can fail, for example without a container engine.
			if format == "json" {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				if found == nil {
					found = []clusters.Cluster{}
				}
				return errors.Join(err, encoder.Encode(found))
			}
			return errors.Join(err, printClusters(cmd.OutOrStdout(), found, time.Now()))
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "", "output format: json (default: table)")
	return cmd
}

func printClusters(out io.Writer, found []clusters.Cluster, now time.Time) error {
	if len(found) == 0 {
		_, err := fmt.Fprintln(out, `no clusters ("dratest cluster create" makes one)`)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tPROVIDER\tSTATUS\tVERSION\tNODES\tSTACK\tAGE\tKUBECONFIG")
	for _, c := range found {
		age := "-"
		if !c.Created.IsZero() {
			age = duration.HumanDuration(now.Sub(c.Created))
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", c.Name, cmp.Or(c.Provider, "-"), c.Status, c.Version, c.Nodes, cmp.Or(c.Stack.String(), "-"), age, c.Kubeconfig)
	}
	return table.Flush()
}

func newClusterLogsCommand(t *target) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "logs [NAME]",
		Short: "Export the logs of nodes and components to a directory",
		Args:  usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := nameFrom(args)
			if dir == "" {
				dir = name + "-logs"
			}
			if err := t.provider(cmd.ErrOrStderr()).Logs(cmd.Context(), name, dir); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), dir)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "output directory (default: NAME-logs)")
	return cmd
}

func newClusterDeleteCommand(t *target) *cobra.Command {
	var all bool
	var named []string
	cmd := &cobra.Command{
		Use:   "delete [NAME...]",
		Short: "Delete clusters created by dratest",
		Example: `  dratest cluster delete
  dratest cluster delete --name a --name b
  dratest cluster delete a b
  dratest cluster delete --all`,
		RunE: func(cmd *cobra.Command, args []string) error {
			named = append(named, args...)
			if all && len(named) > 0 {
				return withCode(codeUsage, errors.New("name clusters or give --all, not both"))
			}
			if slices.Contains(named, "") {
				return withCode(codeUsage, errors.New(`a cluster's name is empty: "dratest cluster list" shows those that there are`))
			}
			p := t.provider(cmd.ErrOrStderr())
			if t.exists() { // prints the removed objects itself
				return p.Delete(cmd.Context(), "")
			}
			names, err := deletions(cmd.Context(), p, named, all)
			if err != nil {
				return err
			}
			return deleteClusters(cmd.Context(), cmd.OutOrStdout(), p, names)
		},
	}
	cmd.Flags().StringArrayVar(&named, "name", nil, "name of the cluster (default \""+clusters.DefaultName+"\"); repeatable, same as an argument")
	cmd.Flags().BoolVar(&all, "all", false, "delete all clusters created by dratest")
	return cmd
}

// deletions returns the names of the clusters to delete.
func deletions(ctx context.Context, p clusters.Provider, named []string, all bool) ([]string, error) {
	if !all {
		if len(named) == 0 {
			return []string{clusters.DefaultName}, nil
		}
		return slices.Compact(slices.Sorted(slices.Values(named))), nil
	}
	found, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range found {
		names = append(names, c.Name)
	}
	return names, nil
}

// deleteClusters deletes clusters and prints the result of each. It also deletes if listing fails, as
// without a container engine; then missing clusters are not reported as such.
func deleteClusters(ctx context.Context, out io.Writer, p clusters.Provider, names []string) error {
	found, listErr := p.List(ctx)
	var errs []error
	for _, name := range names {
		if err := p.Delete(ctx, name); err != nil {
			errs = append(errs, err)
			continue
		}
		said := "cluster %s was not there\n"
		if listErr != nil || slices.ContainsFunc(found, func(c clusters.Cluster) bool { return c.Name == name }) {
			said = "deleted cluster %s\n"
		}
		fmt.Fprintf(out, said, name)
	}
	return errors.Join(errs...)
}

func newClusterKubeconfigCommand() *cobra.Command {
	var export bool
	cmd := &cobra.Command{
		Use:   "kubeconfig [NAME]",
		Short: "Print the path of a cluster's kubeconfig, or merge it into yours",
		Args:  usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, name := providers.NewClusters(progress.New(cmd.ErrOrStderr())), nameFrom(args)
			path, err := p.Kubeconfig(name)
			if err != nil {
				return withCode(codeUsage, err)
			}
			if export {
				path = clientcmd.NewDefaultClientConfigLoadingRules().GetDefaultFilename()
				if err := p.Export(name, path); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	cmd.Flags().BoolVar(&export, "export", false, "merge it into $KUBECONFIG or ~/.kube/config and make it the current context")
	return cmd
}

func nameFrom(args []string) string {
	if len(args) == 0 {
		return clusters.DefaultName
	}
	return args[0]
}

// readConfig reads a cluster file; "-" is stdin.
func readConfig(path string, stdin io.Reader) (clusters.Config, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return clusters.Config{}, withCode(codeUsage, fmt.Errorf("read the cluster file: %w", err))
	}
	c, err := clusters.DecodeConfig(data)
	if err != nil {
		return clusters.Config{}, withCode(codeUsage, fmt.Errorf("cluster file %s:\n%w", path, err))
	}
	return c, nil
}
