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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// sanityFlags are the flags of "dratest sanity".
type sanityFlags struct {
	file                string
	kubeconfig, context string
	inCluster           bool
	driver, node        string
	endpoint            string
	cdiDirs             []string
	class               string
	valid, invalid      []string
	restart             string
	noCluster           bool
	command             string
	callTimeout         time.Duration
	publishTimeout      time.Duration
	reportDir           string
	images              imageFlags
	identity            identityFlags
	// implementation and signer come from identity.
	implementation schema.Implementation
	signer         sign.Signer
	// process is the driver started with --no-cluster.
	process *driverProcess
	// From the declaration.
	features           declarations.Features
	kubeletRoot        string
	checkpoints        []string
	upgrade, downgrade declarations.Hook
	template           map[string]any // of pods
	namespace          declarations.Namespace
}

func newSanityCommand() *cobra.Command {
	var f sanityFlags
	cmd := &cobra.Command{
		Use:   "sanity",
		Short: "Check a DRA driver's gRPC API on one node (1 minute)",
		Long: `Check that a DRA driver implements the kubelet's gRPC API correctly, while the
kubelet stays connected. With --endpoint, run it on the driver's node. With --node
alone, run it anywhere: the dra-sim agent on the node proxies the socket, and is
installed for the duration of the checks if it is missing.

dratest creates and allocates claims for free devices in its own namespace, deletes
them afterwards, and changes nothing else. A device is in use during a check: make
sure that the scheduler does not allocate it to a pod at the same time, or run
sanity on a node without pods. A skipped check reports which flag would enable it.

With --no-cluster, no cluster and no kubelet is needed, for example in unit tests: the
driver talks to an API server of dratest, and the socket's directory is below plugins
in a directory that stands for the kubelet's root.`,
		Example: `  dratest sanity --kubeconfig ~/.kube/config --driver gpu.example.com --node worker-1
  dratest sanity -f driver.yaml --kubeconfig ~/.kube/config --node worker-1
  dratest sanity --no-cluster --endpoint 'unix:///tmp/kubelet/plugins/gpu.example.com/dra*.sock' --cdi-dir /tmp/cdi \
    --command 'gpu-driver --kubeconfig=$KUBECONFIG --node-name=$DRATEST_NODE --kubelet-root=/tmp/kubelet'
  dratest sanity --kubeconfig /etc/kubernetes/admin.conf \
    --endpoint unix:///var/lib/kubelet/plugins/gpu.example.com/dra.sock \
    --restart 'kubectl -n gpu delete pod -l app=gpu-driver --field-selector spec.nodeName=worker-1' \
    --valid-config '{"apiVersion":"gpu.example.com/v1","kind":"GpuConfig","sharing":"TimeSlicing"}'`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			defer endOnNextSignal(ctx)()
			var err error
			if f.implementation, f.signer, err = f.identity.read(cmd.Context()); err != nil {
				return err
			}
			if err := f.declared(cmd.Flags()); err != nil {
				return err
			}
			if err := errors.Join(f.complete(), f.images.complete(cmd.Flags(), false, nil)); err != nil {
				return withCode(codeUsage, err)
			}
			return runSanity(ctx, cmd.OutOrStdout(), f)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (f *sanityFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&f.file, "file", "f", "", "driver declaration (driver.yaml): defaults for name, class, config, the kubelet's root directory and limits.republish")
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig with cluster-admin rights")
	flags.StringVar(&f.context, "context", "", "kubeconfig context (default: current-context)")
	flags.BoolVar(&f.inCluster, "in-cluster", false, inClusterUsage)
	flags.StringVar(&f.driver, "driver", "", "name of the driver (default: name of the socket's directory)")
	flags.StringVar(&f.node, "node", "", "node the driver runs on (default with --endpoint: this machine's hostname)")
	flags.StringVar(&f.endpoint, "endpoint", "", "socket of the driver on this machine, for example unix:///var/lib/kubelet/plugins/gpu.example.com/dra*.sock; the newest match is used")
	flags.StringSliceVar(&f.cdiDirs, "cdi-dir", []string{"/etc/cdi", "/var/run/cdi"}, "with --endpoint: CDI directories, highest priority last")
	flags.StringVar(&f.class, "class", "", "device class to take the configuration of claims from (default: none)")
	flags.StringArrayVar(&f.valid, "valid-config", nil, "opaque parameters (JSON) that the driver accepts; repeatable")
	flags.StringArrayVar(&f.invalid, "invalid-config", nil, "opaque parameters (JSON) that the driver must reject; repeatable")
	flags.StringVar(&f.restart, "restart", "", "command that restarts the driver on the node; restart checks are skipped without it")
	flags.BoolVar(&f.noCluster, "no-cluster", false, "with --endpoint: start an API server for the driver, play the kubelet, and start the driver with --command; etcd and kube-apiserver are taken from $KUBEBUILDER_ASSETS or built (5 minutes, once)")
	flags.StringVar(&f.command, "command", "", "with --no-cluster: command that runs the driver with $KUBECONFIG on node $DRATEST_NODE; restart checks end it with SIGTERM and start it again")
	flags.DurationVar(&f.callTimeout, "call-timeout", 10*time.Second, "timeout of a gRPC call; a check without restarts times out after 15 calls plus twice --publish-timeout")
	flags.DurationVar(&f.publishTimeout, "publish-timeout", 10*time.Second, "time limit for ResourceSlices to be published, and for the socket to be back after a restart")
	flags.StringVar(&f.reportDir, "report-dir", "", "output directory for reports (default: $ARTIFACTS or ./_artifacts)")
	f.images.add(flags, "image of dra-sim, whose agent proxies the driver's socket if --endpoint is not set")
	f.identity.add(flags)
}

// complete sets defaults depending on other flags and returns all missing flags.
func (f *sanityFlags) complete() error {
	var errs []error
	if f.kubeconfig == "" && !f.inCluster && !f.noCluster {
		errs = append(errs, errors.New("--kubeconfig is missing: $KUBECONFIG is not looked at, so that no cluster is used by mistake"))
	}
	if f.endpoint != "" {
		path, ok := strings.CutPrefix(f.endpoint, "unix://")
		if !ok || !filepath.IsAbs(path) {
			errs = append(errs, fmt.Errorf("--endpoint %s: must be unix:// and an absolute path", f.endpoint))
		}
		f.endpoint = path
		if f.driver == "" {
			f.driver = filepath.Base(filepath.Dir(path))
		}
		if host, err := os.Hostname(); f.node == "" && err == nil {
			f.node = strings.ToLower(host)
		}
	}
	if f.node == "" {
		errs = append(errs, errors.New("--node or --endpoint is missing: name the node that the driver runs on, or its socket on this machine"))
	}
	if f.driver == "" {
		errs = append(errs, errors.New("--driver is missing: name the driver as in its ResourceSlices"))
	}
	for name, configs := range map[string][]string{"valid": f.valid, "invalid": f.invalid} {
		for _, c := range configs {
			if err := json.Unmarshal([]byte(c), &map[string]any{}); err != nil {
				errs = append(errs, fmt.Errorf("--%s-config %s: must be a JSON object: %w", name, c, err))
			}
		}
	}
	return errors.Join(append(errs, f.completeNoCluster())...)
}

// options converts the flags.
func (f *sanityFlags) options(client kubernetes.Interface) sanity.Options {
	o := sanity.Options{Driver: f.driver, Node: f.node, Client: client, Class: f.class, CallTimeout: f.callTimeout, PublishTimeout: f.publishTimeout, CheckpointPaths: f.checkpoints, Features: f.features, Namespace: spec.NamespaceMeta(f.namespace)}
	o.Adapt = func(p *corev1.Pod) (*corev1.Pod, error) { return objects.Templated(p, f.template) }
	for _, c := range f.valid {
		o.ValidConfig = append(o.ValidConfig, json.RawMessage(c))
	}
	for _, c := range f.invalid {
		o.InvalidConfig = append(o.InvalidConfig, json.RawMessage(c))
	}
	switch {
	case f.process != nil:
		o.Restart = f.process.restart
	case f.restart != "":
		o.Restart = func(ctx context.Context) error {
			_, err := command.Run(ctx, command.Cmd{Args: []string{"sh", "-c", f.restart}})
			return err
		}
		// Without --restart the driver must not be disrupted.
		o.Upgrade, o.Downgrade = f.hook("upgrade", f.upgrade), f.hook("downgrade", f.downgrade)
	}
	return o
}

// hook returns a function running a declared hook, or nil.
func (f *sanityFlags) hook(name string, h declarations.Hook) func(context.Context) error {
	if h.IsZero() {
		return nil
	}
	return func(ctx context.Context) error {
		return certify.RunHook(ctx, name, h, certify.KubeconfigOf(f.kubeconfig)...)
	}
}

// local is a driver on this machine.
func (f *sanityFlags) local() sanity.Local {
	return sanity.Local{Socket: f.endpoint, CDIDirs: f.cdiDirs, RegistryDir: filepath.Join(cmp.Or(f.kubeletRoot, "/var/lib/kubelet"), "plugins_registry")}
}

func runSanity(ctx context.Context, out io.Writer, f sanityFlags) (err error) {
	dir, started := reports.Dir(f.reportDir), time.Now()
	unlock, err := reports.Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := run.Clean(dir); err != nil {
		return err
	}
	var report schema.Report
	defer func() {
		if err != nil && report.SchemaVersion == "" {
			err = errors.Join(err, reports.WriteError(dir, started, err))
		}
	}()
	bed, err := testbed.Open(ctx, testbed.Parts{Clusters: providers.NewClusters(progress.New(out)), Agents: agentsAt(f.images, f.kubeletRoot)}, f.config(out))
	defer func() { err = errors.Join(err, bed.Close(ctx, nil)) }()
	if err != nil {
		return err
	}
	if f.noCluster {
		end, err := f.startDriver(ctx, bed, dir)
		defer end()
		if err != nil {
			return err
		}
	}
	target, err := probe.Target(ctx, bed.REST)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(target.Nodes, func(n spec.Node) bool { return n.Name == f.node }) {
		return withCode(codeUsage, fmt.Errorf("there is no node %q in the cluster: name the one that the driver runs on (--node)", f.node))
	}
	var subject sanity.NodeAccess = f.local()
	if f.endpoint == "" {
		if err := bed.Install(ctx, []string{f.node}); err != nil {
			return err
		}
		agents, err := client.New(bed.REST)
		if err != nil {
			return err
		}
		defer agents.Close()
		subject = onNode{agents: agents, node: f.node, driver: f.driver}
	}
	if f.noCluster {
		printKubeletCases(out)
	}
	report, err = checkDriver(ctx, out, dir, target, subject, f.options(bed.Client), f.implementation, f.signer)
	return runError(ctx, report, err)
}
