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
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

func newImagesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images",
		Short: "List required images; build and remove node images",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newImagesBuildCommand(), newImagesListCommand(), newImagesPruneCommand(), newImagesSaveCommand())
	return cmd
}

func newImagesBuildCommand() *cobra.Command {
	var wanted []string
	var source string
	var components map[string]string
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build node images, also of unreleased Kubernetes versions",
		Long: `Build node images from Go modules and Debian packages, and print their names.

Existing images are reused, and an interrupted build is resumed. The first build
takes about 15 minutes on two cores. It needs 15 GiB of disk space, Go, root and
debootstrap, and downloads from the Go module proxy and deb.debian.org (or
$DRATEST_DEBIAN_MIRROR). Results are cached in $DRATEST_CACHE or the user's cache
directory.

--version also takes releases and prereleases not listed by dratest, and the directory of
a checkout, which is built as it is on disk. --component builds single components
from a checkout. Pass the printed name to --image of other commands.`,
		Example: `  dratest images build --version all
  dratest images build --version ~/src/kubernetes
  dratest images build --version v1.38.0-alpha.1
  dratest images build --version 1.37 --component kubelet=$HOME/src/kubernetes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			selected, err := selectImages(wanted, source, components)
			if err != nil {
				return err
			}
			p, find := progress.New(cmd.ErrOrStderr()), findVersion(cmd.Context(), cmd.ErrOrStderr())
			for _, o := range selected[1:] { // A mistake shows before the first one is built.
				if _, err := find(o.Version); err != nil {
					return err
				}
			}
			for _, o := range selected {
				o.Restricted, o.Progress = images.Restricted(), p
				ref, err := images.Node(cmd.Context(), o)
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), ref); err != nil {
					return fmt.Errorf("print the image's name: %w", err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&wanted, "version", nil, `Kubernetes version, or "all"; repeatable (default: latest listed)`)
	cmd.Flags().StringVar(&source, "source", "", "same as --version; with both, --version is the version of a checkout without tags")
	cmd.Flags().StringToStringVar(&components, "component", nil, "component to build from a Kubernetes checkout, as kubelet=DIR; repeatable")
	return cmd
}

// selectImages returns the images selected by the flags.
func selectImages(wanted []string, source string, components map[string]string) ([]images.Options, error) {
	o := images.Options{Source: source, Components: components}
	if err := o.Validate(); err != nil {
		return nil, withCode(codeUsage, err)
	}
	if source != "" {
		if len(wanted) > 1 {
			return nil, withCode(codeUsage, errors.New("version: only one can be that of --source"))
		}
		o.Version = strings.Join(wanted, "")
		return []images.Options{o}, nil
	}
	selected := selectVersions(wanted)
	all := make([]images.Options, 0, len(selected))
	for _, o.Version = range selected {
		all = append(all, o)
	}
	return all, nil
}

// selectVersions parses the values of --version.
func selectVersions(wanted []string) []string {
	if len(wanted) == 0 {
		return []string{versions.Newest().Kubernetes}
	}
	if !slices.Contains(wanted, "all") {
		return wanted
	}
	var all []string
	for _, v := range versions.All() {
		all = append(all, v.Kubernetes)
	}
	return all
}

func newImagesListCommand() *cobra.Command {
	var output, registry, version string
	var built bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List required images, or node images built on this machine",
		Long: `List the images a run needs: for existing clusters, whose nodes must have them or be
able to pull them, and for clusters created by dratest, whose node images contain
everything. With --built, list the node images built on this machine and their
stages.`,
		Example: `  dratest images list -o name
  dratest images list --image-registry mirror.example.com/dra
  dratest images list --built`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output, built); err != nil {
				return err
			}
			if !built {
				needed, err := neededImages(registry, version)
				if err != nil {
					return err
				}
				return printNeeded(cmd.OutOrStdout(), output, needed)
			}
			found, err := images.List(cmd.Context(), engine.Engine{})
			if err != nil {
				return err
			}
			return printImages(cmd.OutOrStdout(), output, found)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "output format: table, json, or name (one name per line)")
	cmd.Flags().StringVar(&registry, "image-registry", "", registryUsage)
	cmd.Flags().StringVar(&version, "version", "", "Kubernetes version of nodes created by dratest (default: latest listed)")
	cmd.Flags().BoolVar(&built, "built", false, "list node images built on this machine, and their stages")
	return cmd
}

func checkOutput(output string, built bool) error {
	switch {
	case output == "table", output == "json", output == "name" && !built:
		return nil
	default:
		return withCode(codeUsage, fmt.Errorf("unknown output format %q: table and json are known, and name without --built", output))
	}
}

func printImages(out io.Writer, format string, found []images.Image) error {
	if format == "json" {
		if found == nil {
			found = []images.Image{}
		}
		return printJSON(out, found)
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(out, `No images: "dratest images build" makes them.`)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "IMAGE\tKUBERNETES\tSTAGE\tSIZE\tCURRENT")
	for _, i := range found {
		current := "yes"
		if !i.Current {
			current = "no"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", i.Ref, i.Version, i.Stage, cache.Size(i.Size), current)
	}
	return table.Flush()
}

func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}

func newImagesPruneCommand() *cobra.Command {
	var o images.PruneOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove unused images and cached files",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Progress = progress.New(cmd.ErrOrStderr())
			return prune(cmd.Context(), cmd.OutOrStdout(), o)
		},
	}
	cmd.Flags().BoolVar(&o.All, "all", false, "remove all images and the cache of dratest")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "print what would be removed without removing it")
	return cmd
}

func prune(ctx context.Context, out io.Writer, o images.PruneOptions) error {
	pruned, err := images.Prune(ctx, o)
	verb := "Removed:"
	if o.DryRun {
		verb = "Would remove:"
	}
	// Also print images removed before an error.
	if _, printErr := fmt.Fprintf(out, "%s\n%s", verb, pruned); err == nil && printErr != nil {
		err = printErr
	}
	return err
}
