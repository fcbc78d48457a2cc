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
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/published"
	"github.com/dra-conformance/dratest/clusters/images/suite"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

const registryUsage = "registry to pull images from instead of their own, for example mirror.example.com/dra"

// imageFlags choose the images of the agents and, with a registry, of pods.
type imageFlags struct {
	agent, registry string
	// agentTemplate is a file, template its content.
	agentTemplate string
	template      map[string]any
}

func (f *imageFlags) add(flags *pflag.FlagSet, agentUse string) {
	flags.StringVar(&f.agent, "agent-image", "", agentUse+" (default: preloaded in dratest's node images)")
	flags.StringVar(&f.agentTemplate, "agent-template", "", "file with a pod spec to merge with the agents' pods, for example with imagePullSecrets or priorityClassName; the container named * stands for theirs")
	flags.StringVar(&f.registry, "image-registry", "", "on clusters not created by dratest: "+registryUsage+"; ignored for images set by flags")
}

// complete applies --image-registry to images without a flag of their own. created means that dratest creates the cluster.
func (f *imageFlags) complete(flags *pflag.FlagSet, created bool, pod *string) (err error) {
	if f.template, err = readPodTemplate("agent-template", f.agentTemplate, true); err != nil {
		return err
	}
	if f.registry == "" {
		return nil
	}
	if created {
		return errors.New("image-registry: nodes of clusters created by dratest have their images; --node-image-registry is the registry of node images")
	}
	if pod != nil && !flags.Changed("pod-image") {
		if *pod, err = suite.In(f.registry, *pod); err != nil {
			return err
		}
	}
	if f.agent == "" {
		f.agent, err = suite.In(f.registry, suite.Sim)
	}
	return err
}

// readPodTemplate reads the file of a flag.
func readPodTemplate(flag, file string, agents bool) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	template, err := declarations.ParsePodTemplate(data, agents)
	if err != nil {
		return nil, fmt.Errorf("%s: %s:\n%w", flag, file, err)
	}
	return template, nil
}

// agents returns the agents configured by the flags.
func (f *imageFlags) agents() testbed.Sim { return simAgents(f.agent).WithTemplate(f.template) }

// neededImage is an image needed by a run.
type neededImage struct {
	Image string `json:"image"`
	For   string `json:"for"`
}

// neededImages returns the images for runs on a Kubernetes version, optionally in another registry.
func neededImages(registry, version string) ([]neededImage, error) {
	known, err := versions.Lookup(cmp.Or(version, versions.Newest().Kubernetes))
	if err != nil {
		return nil, withCode(codeUsage, err)
	}
	needed := []neededImage{
		{suite.RunAt(reports.SuiteVersion().Version), "the run itself, where it is a Job (dratest manifests)"},
		{suite.Sim, "the test driver, on each node"},
		{suite.Busybox, "pods of cases"},
	}
	for i := range needed {
		if needed[i].Image, err = suite.In(registry, needed[i].Image); err != nil {
			return nil, withCode(codeUsage, err)
		}
	}
	registry = cmp.Or(registry, clusters.DefaultRegistry)
	if images := published.Images(known, false, registry); len(images) > 0 { // none of a checkout
		needed = append(needed, neededImage{images[0].Ref, "nodes of clusters that dratest makes (--node-image-registry)"})
	}
	return append(needed,
		neededImage{published.Pods(registry), "pods of cases there; is " + suite.Busybox + " on other clusters"},
	), nil
}

func printNeeded(out io.Writer, format string, needed []neededImage) error {
	switch format {
	case "json":
		return printJSON(out, needed)
	case "name":
		for _, i := range needed {
			if _, err := fmt.Fprintln(out, i.Image); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "IMAGE\tFOR")
	for _, i := range needed {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", i.Image, i.For)
	}
	return table.Flush()
}

func newImagesSaveCommand() *cobra.Command {
	var programs []string
	var registry string
	cmd := &cobra.Command{
		Use:   "save FILE.tar",
		Short: "Write the images of dratest and its test driver to an archive",
		Long: `Write the images of dratest and its test driver to an archive (OCI layout). Load it
into nodes ("kind load image-archive", "ctr images import") or push it to a registry
("docker load" since Docker 25, "skopeo", "crane"). The programs must be
statically linked, as built by "make image". They set the platforms of the images.

The pods of cases run a busybox, for example docker.io/library/busybox:1.37.0-glibc.
Provide it under the name printed by "dratest images list", or set --pod-image.`,
		Example: `  dratest images save images.tar
  dratest images save images.tar --image-registry mirror.example.com/dra`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(programs) == 0 {
				self, err := os.Executable()
				if err != nil {
					return fmt.Errorf("find the programs: %w", err)
				}
				programs = []string{filepath.Dir(self)}
			}
			return saveImages(cmd.OutOrStdout(), args[0], programs, registry)
		},
	}
	cmd.Flags().StringSliceVar(&programs, "programs", nil, "directories with dratest and dra-sim, one per architecture (default: directory of this binary)")
	cmd.Flags().StringVar(&registry, "image-registry", "", registryUsage)
	return cmd
}

// nobody is the user of images without need for root.
const nobody = "65532:65532"

func saveImages(out io.Writer, path string, programs []string, registry string) (err error) {
	version := reports.SuiteVersion()
	images := []suite.Program{
		{Ref: suite.RunAt(version.Version), Name: "dratest", User: nobody},
		{Ref: suite.Sim, Name: "dra-sim"}, // needs root on nodes
	}
	for i := range images {
		for _, dir := range programs {
			images[i].Paths = append(images[i].Paths, filepath.Join(dir, images[i].Name))
		}
		images[i].Version, images[i].Revision = version.Version, version.Commit
		if images[i].Ref, err = suite.In(registry, images[i].Ref); err != nil {
			return withCode(codeUsage, err)
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return withCode(codeUsage, fmt.Errorf("make the archive: %w", err))
	}
	platforms, err := suite.Archive(file, images)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	for _, i := range images {
		if _, err := fmt.Fprintf(out, "%s  %s\n", i.Ref, strings.Join(platforms, ",")); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, "are in "+path)
	return err
}
