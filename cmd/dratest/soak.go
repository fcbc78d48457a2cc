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
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/companions"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/crash"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// soakFlags are the flags of "dratest soak".
type soakFlags struct {
	soak.Options

	stack     stackFlags
	kill      []string
	at        []string
	switching []string
	times     int
	spoil     string
	fabric    string
	classic   bool
	images    imageFlags
	workers   int
	template  string // of pods
	file      string // declaration of an installed driver
	rate      float64
}

func newSoakCommand() *cobra.Command {
	var f soakFlags
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Run pods with claims under load, kill components, check invariants",
		Long: `Create and delete pods with claims of many kinds, competing for fewer devices than
they request, and check invariants on the API objects all the time: no device is
allocated twice, no counter drops below zero, no claim leaks, no pod is stuck. At
the end, driver calls and kubelet checkpoints must show that each claim of a running
pod was prepared, and that none is still prepared.

--kill kills components under this load. A killed API server is unavailable for a
minute: first it is frozen and requests hang, then connections are refused.

Without --kubeconfig, dratest creates a kind cluster whose kubelets restart a killed
component after a second, and removes it. Other kubelets may wait up to five
minutes: set --patience to more than that.

--fabric attaches devices from a composable fabric to simulated nodes (KEP-5007),
with dra-composable-controller. The fabric must agree with the claims: a device is
attached to one node at most and stays while a pod uses it, no pod is bound before
its device is attached, and nothing stays attached without a claim.
- bind (default): pods are bound to the attached devices.
- reschedule: pods are scheduled again, to the device that dra-sim now publishes on
  its node. No device may be published without being attached.
- race: two clusters compete for the only device of a fabric, --times times.

-f measures the driver installed in a cluster (--kubeconfig or --name). Pods with
claims for its devices are created at a constant --rate on all of its nodes, and
deleted again. --kill kubelet,driver kills the kubelet or the driver of a random node.
dratest measures latencies of prepare, unprepare and pod start, memory and open files
of the driver, and slice writes. The soak fails if a measurement exceeds the budget in
driver.yaml, devices or files leak, a call does not succeed, or a claim stays prepared.
report.html has plots.

--classic runs classic DRA (KEP-3063) on simulated nodes: a driver's controller
allocates claims and negotiates with dra-scheduler. The driver's devices must agree
with the claims, and nothing may be left at the end.

Exit codes: 0 no violations; 1 an invariant was violated; 2 wrong usage; 3 no
cluster; 4 the load or some kills are incomplete. Ctrl-C cleans up and keeps the
results so far; a second Ctrl-C exits at once.`,
		Example: `  dratest soak
  dratest soak --kill scheduler --times 50 --every 10s
  dratest soak --stack own --kill apiserver --times 3
  dratest soak --kubelet own --kill kubelet --at before-prepare,during-prepare
  dratest soak --switch --times 2        # stock scheduler, own scheduler, and back
  dratest soak --switch=controllers,kubelet --times 2
  dratest soak --fabric --kill scheduler,composable-controller,fabric --times 50 --every 3s
  dratest soak --fabric=reschedule --kill scheduler,composable-controller,fabric,driver --times 50 --every 3s
  dratest soak --fabric=race --times 100
  dratest soak --classic --kill scheduler,driver --times 50 --every 3s
  dratest soak --kubeconfig ~/.kube/config --pods 1000 --at-once 100
  dratest soak -f driver.yaml --kubeconfig ~/.kube/config --duration 1h --kill kubelet,driver`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.start(cmd) },
	}
	f.add(cmd.Flags())
	return cmd
}

// start runs the kind of soak that the flags select.
func (f *soakFlags) start(cmd *cobra.Command) error {
	provider := providers.NewClusters(progress.New(cmd.OutOrStdout()))
	var o soak.Options
	f.Out = cmd.OutOrStdout()
	if err := f.images.complete(cmd.Flags(), !f.Existing(), &f.PodImage); err != nil {
		return withCode(codeUsage, err)
	}
	if f.file != "" {
		return f.runInstalled(cmd)
	}
	err := withoutDriver(cmd.Flags())
	if err != nil {
		return withCode(codeUsage, err)
	}
	if f.PodTemplate, err = readPodTemplate("pod-template", f.template, false); err != nil {
		return withCode(codeUsage, err)
	}
	if f.fabric == raceForDevice {
		return f.race(cmd, provider)
	}
	kind, err := f.plane()
	switch {
	case err != nil:
	case kind != nil:
		o, err = f.planeOptions(cmd, provider, kind)
	default:
		o, err = f.options(f.Out, provider)
	}
	if err != nil {
		return withCode(codeUsage, err)
	}
	return f.run(cmd.Context(), provider, o)
}

// withoutDriver checks the flags of a soak without -f.
func withoutDriver(flags *pflag.FlagSet) error {
	if flags.Changed("rate") {
		return errors.New("rate: needs -f")
	}
	return nil
}

func (f *soakFlags) add(flags *pflag.FlagSet) {
	addClusterFlags(flags, &f.Kubeconfig, &f.Context, &f.Cluster)
	flags.BoolVar(&f.InCluster, "in-cluster", false, inClusterUsage)
	flags.StringVarP(&f.file, "file", "f", "", "declaration (driver.yaml) of an installed driver to measure")
	flags.Float64Var(&f.rate, "rate", loadRate, "number of pods to create per minute, with -f; unless set, at most four per device")
	f.stack.add(flags)
	flags.BoolVar(&f.Keep, "keep", false, "keep the cluster, the test driver and leftover objects")
	flags.IntVar(&f.workers, "workers", 2, "number of worker nodes of the cluster to create")
	flags.IntVar(&f.Pods, "pods", 200, "minimum number of pods to create and delete")
	flags.IntVar(&f.AtOnce, "at-once", 30, "maximum number of concurrent pods (with -f, default: twice the number of devices)")
	flags.DurationVar(&f.Duration, "duration", 0, "minimum duration of the load (with -f, default: 15m)")
	flags.StringVar(&f.fabric, "fabric", "", "attach devices from a composable fabric to simulated nodes (KEP-5007); pods are bound to the attached devices (bind) or rescheduled to newly published ones (reschedule); with race, two clusters compete for the last device")
	flags.Lookup("fabric").NoOptDefVal = string(fabric.Bind)
	flags.BoolVar(&f.classic, "classic", false, "test classic DRA (KEP-3063), where a driver's controller allocates claims, on simulated nodes")
	flags.StringSliceVar(&f.kill, "kill", nil, "components to kill (SIGKILL) in turns under load: "+strings.Join(faults.Components(), ", ")+"; nodes must be containers on this machine. With --fabric: "+strings.Join(killed((&fabric.Soak{}).Kills(nil)), ", ")+", with --fabric=reschedule driver, too; with --classic: "+strings.Join(killed((&classic.Soak{}).Kills(nil)), ", ")+"; with -f: "+strings.Join(faults.OfInstalled(), ", ")+", where kubelets of clusters not created by dratest are restarted instead")
	flags.StringSliceVar(&f.at, "at", nil, "crash points at which to kill each worker's kubelet: all, "+crash.Names()+"; needs --kill kubelet --kubelet own, not with --kubeconfig")
	flags.StringSliceVar(&f.switching, "switch", nil, "components to switch between stock and own under load: "+strings.Join(clusters.Components(), ", ")+"; not with --kubeconfig")
	flags.Lookup("switch").NoOptDefVal = "scheduler"
	flags.IntVar(&f.times, "times", 10, "number of kills of each component at each crash point, and of switches")
	flags.DurationVar(&f.Every, "every", 10*time.Second, "average interval between kills or switches (with -f, default: 1m)")
	flags.DurationVar(&f.Patience, "patience", patience, "time without progress after which pods are reported as stuck")
	flags.StringVar(&f.spoil, "spoil", "", "inject this fault to prove that soak detects it: "+strings.Join(faults.IDs(faults.Injections()), ", ")+". With --fabric: "+strings.Join(faults.IDs((&fabric.Soak{}).Injections()), ", ")+"; with --classic: "+strings.Join(faults.IDs((&classic.Soak{}).Injections()), ", "))
	flags.Int64Var(&f.Seed, "seed", 0, "random seed for pods and times (default: current time)")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for the summary and evidence (default: $ARTIFACTS or ./_artifacts)")
	flags.StringVar(&f.PodImage, "pod-image", podImage, "busybox image for pods")
	flags.StringVar(&f.template, "pod-template", "", podTemplateUsage)
	f.images.add(flags, "image of the test driver dra-sim")
}

// options converts the flags.
func (f *soakFlags) options(out io.Writer, switcher clusters.Switcher) (soak.Options, error) {
	o := f.Options
	o.Out = out
	o.Cluster.Workers = &f.workers
	var err error
	if o.Cluster.Stack, err = f.stack.over(o.Cluster.Stack); err != nil {
		return o, err
	}
	if f.times < 1 {
		return o, fmt.Errorf("times: %d: must be at least 1", f.times)
	}
	// The kubelet's crash-loop backoff grows up to five minutes.
	o.Cluster.Kubelet = map[string]any{"crashLoopBackOff": map[string]any{"maxContainerRestartPeriod": "1s"}}
	kills, err := f.kills(faults.Components(), func(component string) soak.Fault { return faults.Killing(component, engine.Engine{}) })
	if err == nil && len(f.at) > 0 {
		kills, err = f.crashes(o.Cluster.Stack)
	}
	if err != nil {
		return o, err
	}
	o.Faults = slices.Repeat(kills, f.times)
	if len(f.switching) > 0 {
		if f.Existing() {
			return o, errors.New("switch: only a cluster that dratest makes can be switched, not that of --kubeconfig")
		}
		list, err := faults.BackAndForth(switcher, o.Cluster.Stack, f.switching, f.times)
		if err != nil {
			return o, fmt.Errorf("switch: %w", err)
		}
		o.Faults = append(o.Faults, list...)
	}
	if f.spoil != "" {
		fault, err := faults.Find(faults.Injections(), f.spoil)
		if err != nil {
			return o, fmt.Errorf("spoil: %w", err)
		}
		o.Faults = append(o.Faults, fault.With(f.PodImage))
	}
	return o, o.Validate()
}

// kills returns a kill per component of the flag.
func (f *soakFlags) kills(known []string, killing func(component string) soak.Fault) ([]soak.Fault, error) {
	var kills []soak.Fault
	for _, component := range f.kill {
		if !slices.Contains(known, component) {
			return nil, fmt.Errorf("kill: unknown component %q, known are %s", component, strings.Join(known, ", "))
		}
		kills = append(kills, killing(component))
	}
	return kills, nil
}

// crashes returns a kill per crash point.
func (f *soakFlags) crashes(stack clusters.Stack) ([]soak.Fault, error) {
	switch {
	case !slices.Equal(f.kill, []string{"kubelet"}):
		return nil, errors.New("at: needs --kill kubelet, and no other component")
	case f.Existing():
		return nil, errors.New("at: kubelets are killed at a point only in a cluster that dratest makes, not in that of --kubeconfig")
	case stack.Kubelet != spec.Own || len(stack.KubeletNodes) > 0:
		return nil, errors.New("at: needs --kubelet own on all nodes: points are known from its log")
	}
	points, err := crash.Parse(f.at)
	if err != nil {
		return nil, fmt.Errorf("at: %w", err)
	}
	var kills []soak.Fault
	for _, point := range points {
		kills = append(kills, &faults.Crash{Point: point, Engine: engine.Engine{}, Program: buildCrash})
	}
	return kills, nil
}

// buildCrash builds dratest-crash, or reads the binary beside this one.
func buildCrash(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "dratest-")
	if err != nil {
		return nil, fmt.Errorf("build dratest-crash: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := own.Binary(ctx, "dratest-crash", dir, own.Where{})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (f *soakFlags) run(ctx context.Context, provider clusters.Provider, o soak.Options) error {
	defer endOnNextSignal(ctx)()
	parts := soak.Parts{
		Parts: testbed.Parts{Clusters: provider, Agents: f.images.agents(), Companions: companions.All()},
		Logs:  slices.Concat(fabric.Logs(), classic.Logs()),
	}
	if slices.Contains(f.kill, "kubelet") {
		parts.Repair = faults.UnfreezeContainers{Engine: engine.Engine{}}.Do
	}
	summary, err := soak.Run(ctx, parts, o)
	return soakError(ctx, summary, err)
}

// soakError maps the result of a soak to an exit code.
func soakError(ctx context.Context, s soak.Summary, err error) error {
	switch {
	case inUse(err):
		return withCode(codeUsage, err)
	case errors.Is(err, certify.ErrDriver):
		return withCode(codeCasesFailed, err)
	case s.Verdict == schema.Failed && s.Results != nil:
		return withCode(codeCasesFailed, errors.Join(errors.New("the driver or the cluster violated rules under load"), err))
	case s.Verdict == schema.Failed:
		return withCode(codeCasesFailed, errors.Join(errors.New("rules of allocation were violated"), err))
	case ctx.Err() != nil:
		return withCode(codeIncomplete, fmt.Errorf("interrupted: %w", errors.Join(context.Cause(ctx), err)))
	case err != nil:
		return err
	case s.Verdict == schema.Incomplete:
		return withCode(codeIncomplete, errors.New("the soak is incomplete"))
	default:
		return nil
	}
}
