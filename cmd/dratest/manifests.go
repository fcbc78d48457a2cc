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
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters/images/suite"
	"github.com/dra-conformance/dratest/framework/run/job"
	"github.com/dra-conformance/dratest/reports"
)

func newManifestsCommand() *cobra.Command {
	var c job.Config
	var registry string
	var sonobuoy bool
	chosen := map[string]*bool{}
	cmd := &cobra.Command{
		Use:   "manifests [--certify | --sanity | --soak] [-- FLAGS]",
		Short: "Print manifests that run dratest in a cluster, or a Sonobuoy plugin",
		Long: `Print manifests that run dratest in a cluster: a namespace, a service account with
the least privileges the command needs, and a Job. The command is "dratest run", or
"dratest certify", "sanity" or "soak" with the flag of that name. Arguments after "--"
are its flags. A ConfigMap has the files they name: driver.yaml and pod templates. The
Job's pod gets tolerations and imagePullSecrets from the template of pods.

"dratest report fetch" waits for the end and downloads the report. The nodes need the
images listed by "dratest images list"; "make image" and "dratest images save" build
those of dratest and its test driver. Hooks of driver.yaml that run on a machine run in
the Job's pod: --image must have their programs, and its account their rights.

With --sonobuoy, print a plugin for "sonobuoy run --plugin FILE" instead. Its results
come from junit_01.xml, and the archive from "sonobuoy retrieve" has the whole report
in plugins/dratest. The plugin uses Sonobuoy's service account.`,
		Example: `  dratest manifests -- --focus '^core/' | kubectl apply -f -
  dratest report fetch results --kubeconfig ~/.kube/config
  dratest manifests --certify -- -f driver.yaml --disruptive | kubectl apply -f -
  dratest manifests --image-registry mirror.example.com/dra --sonobuoy > dratest.yaml`,
		Args: usage(func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); len(args) > 0 && dash != 0 {
				return fmt.Errorf("unknown argument %q: flags of dratest run come after --", args[0])
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			commands := []*inJob{runInJob()}
			for _, other := range []*inJob{certifyInJob(), sanityInJob(), soakInJob()} {
				if *chosen[other.name] {
					commands = append(commands, other)
				}
			}
			j := commands[len(commands)-1]
			if len(commands) > 2 || sonobuoy && len(commands) > 1 {
				return withCode(codeUsage, errors.New("certify, sanity, soak, sonobuoy: choose one of them"))
			}
			if err := j.configure(args, &c); err != nil {
				return withCode(codeUsage, fmt.Errorf("the flags of dratest %s: %w", j.name, err))
			}
			switch {
			case len(j.local) > 0 && c.Image == "":
				return withCode(codeUsage, fmt.Errorf("%s would run in the Job's pod: give --image with the programs, or remove it", strings.Join(j.local, ", ")))
			case sonobuoy && len(c.Files) > 0:
				return withCode(codeUsage, errors.New("sonobuoy: the plugin has no files: leave --pod-template and --agent-template out"))
			}
			if registry != "" {
				c.Args = append([]string{"--image-registry=" + registry}, c.Args...)
			}
			if c.Image == "" {
				if c.Image, err = suite.In(registry, suite.RunAt(reports.SuiteVersion().Version)); err != nil {
					return withCode(codeUsage, err)
				}
			}
			printed, err := job.Manifests(c)
			if sonobuoy {
				printed, err = job.Sonobuoy(c)
			}
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(printed)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&c.Namespace, "namespace", "n", job.Name, "namespace to create for the Job")
	flags.StringVar(&c.Image, "image", "", "dratest image (default: image of this version)")
	flags.StringVar(&registry, "image-registry", "", registryUsage)
	flags.BoolVar(&sonobuoy, "sonobuoy", false, "print a Sonobuoy plugin instead")
	chosen["certify"] = flags.Bool("certify", false, "run dratest certify in the Job")
	chosen["sanity"] = flags.Bool("sanity", false, "run dratest sanity in the Job")
	chosen["soak"] = flags.Bool("soak", false, "run dratest soak in the Job")
	return cmd
}
