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
	"github.com/dra-conformance/dratest/framework/companions"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/crash"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// soakFlags are the flags of "dratest soak".
type soakFlags struct {
	soak.Options

	stack      stackFlags
	kill       []string
	at         []string
	switching  []string
	times      int
	spoil      string
	fabric     string
	classic    bool
	agentImage string
	workers    int
}

func newSoakCommand() *cobra.Command {
	var f soakFlags
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Let pods with claims come and go, kill components, and check allocations",
		Long: `Let pods with claims of many kinds come and go on a cluster, more than there are
devices for, kill a component again and again if asked, and check all the time,
by nothing but the API objects, that no device is handed out twice, no counter
falls below zero, no claim leaks and no pod gets stuck. In the end, what drivers
were called for and what kubelets remember has to show that each claim that a pod
ran with was prepared, and that none is left prepared.

An API server that is killed is away for a minute: half of that it is frozen, so
that requests hang, then they are refused. The soak waits for it.

Without --kubeconfig a cluster is made with kind and removed afterwards; its
kubelets restart a killed component after a second. Elsewhere they wait up to
five minutes after some kills: give --patience more than that.

With --fabric the devices are not on the nodes: dra-composable-controller attaches
them from a fabric to simulated nodes (KEP-5007), on a control plane of processes
that is made for it. What the fabric says must fit the claims all the time: a
device is attached to at most one node, stays while a pod has it, and no pod is
bound before; and in the end nothing is attached for nobody. The controller's log
is in the report directory. Pods are bound with what was attached for them. With
--fabric=reschedule they are scheduled anew then, to the device that is local to
its node now: on each node dra-sim is the driver that publishes it, which can be
killed, too. No two pods may have one device in one way or the other, and in the
end no driver may publish what is not attached to its node. With --fabric=race two
control planes, each with a controller, want the only device of a fabric at the
same moment, --times times: exactly one pod is bound in each round, and the other
one once the first is gone.

With --classic a driver's own controller allocates the claims (KEP-3063), of kinds
that are allocated at once or for the pod's node, are shared, have one user at a
time, take long or fail at first: dra-scheduler with classic DRA negotiates with
it, for simulated nodes of a control plane of processes that is made for it. What
the driver holds must fit the claims all the time: no device is held for two of
them, and all that claims have is held; and in the end it holds nothing, and no
record or negotiation is left. The logs of both are in the report directory.

Exit code 1 means that a rule was violated, 4 that not all was done that was
asked for. Ctrl-C cleans up; another one does not wait for that.`,
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
  dratest soak --kubeconfig ~/.kube/config --pods 1000 --at-once 100`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			provider := providers.NewClusters(progress.New(cmd.OutOrStdout()))
			var o soak.Options
			f.Out = cmd.OutOrStdout()
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
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (f *soakFlags) add(flags *pflag.FlagSet) {
	addClusterFlags(flags, &f.Kubeconfig, &f.Context, &f.Cluster)
	f.stack.add(flags)
	flags.BoolVar(&f.Keep, "keep", false, "keep the cluster, the test driver and leftover objects")
	flags.IntVar(&f.workers, "workers", 2, "number of worker nodes of the cluster to create")
	flags.IntVar(&f.Pods, "pods", 200, "minimum number of pods to create and delete")
	flags.IntVar(&f.AtOnce, "at-once", 30, "maximum number of concurrent pods")
	flags.DurationVar(&f.Duration, "duration", 0, "minimum duration of the load")
	flags.StringVar(&f.fabric, "fabric", "", "attach devices from a composable fabric to simulated nodes (KEP-5007); pods are bound to the attached devices (bind) or rescheduled to newly published ones (reschedule); with race, two clusters compete for the last device")
	flags.Lookup("fabric").NoOptDefVal = string(fabric.Bind)
	flags.BoolVar(&f.classic, "classic", false, "test classic DRA (KEP-3063), where a driver's controller allocates claims, on simulated nodes")
	flags.StringSliceVar(&f.kill, "kill", nil, "components to kill (SIGKILL) in turns under load: "+strings.Join(faults.Components(), ", ")+"; nodes must be containers on this machine. With --fabric: "+strings.Join(killed((&fabric.Soak{}).Kills(nil)), ", ")+", with --fabric=reschedule driver, too; with --classic: "+strings.Join(killed((&classic.Soak{}).Kills(nil)), ", "))
	flags.StringSliceVar(&f.at, "at", nil, "crash points at which to kill each worker's kubelet: all, "+crash.Names()+"; needs --kill kubelet --kubelet own, not with --kubeconfig")
	flags.StringSliceVar(&f.switching, "switch", nil, "components to switch between stock and own under load: "+strings.Join(clusters.Components(), ", ")+"; not with --kubeconfig")
	flags.Lookup("switch").NoOptDefVal = "scheduler"
	flags.IntVar(&f.times, "times", 10, "number of kills of each component at each crash point, and of switches")
	flags.DurationVar(&f.Every, "every", 10*time.Second, "average interval between kills or switches")
	flags.DurationVar(&f.Patience, "patience", 2*time.Minute, "time without progress after which pods are reported as stuck")
	flags.StringVar(&f.spoil, "spoil", "", "inject this fault to prove that soak detects it: "+strings.Join(faults.IDs(faults.Injections()), ", ")+". With --fabric: "+strings.Join(faults.IDs((&fabric.Soak{}).Injections()), ", ")+"; with --classic: "+strings.Join(faults.IDs((&classic.Soak{}).Injections()), ", "))
	flags.Int64Var(&f.Seed, "seed", 0, "random seed for pods and times (default: current time)")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for the summary and evidence (default: $ARTIFACTS or ./_artifacts)")
	flags.StringVar(&f.PodImage, "pod-image", podImage, "busybox image for pods")
	flags.StringVar(&f.agentImage, "agent-image", "", "image of the test driver dra-sim (default: preloaded in dratest's node images)")
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
		if f.Kubeconfig != "" {
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
	case f.Kubeconfig != "":
		return nil, errors.New("at: kubelets are killed at a point only in a cluster that dratest makes, not in that of --kubeconfig")
	case stack.Kubelet != clusters.Own || len(stack.KubeletNodes) > 0:
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
		Parts: testbed.Parts{Clusters: provider, Agents: simAgents(f.agentImage), Companions: companions.All()},
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
	case s.Verdict == soak.Failed:
		return withCode(codeCasesFailed, errors.Join(errors.New("rules of allocation were violated"), err))
	case ctx.Err() != nil:
		return withCode(codeIncomplete, fmt.Errorf("interrupted: %w", errors.Join(context.Cause(ctx), err)))
	case err != nil:
		return err
	case s.Verdict == soak.Incomplete:
		return withCode(codeIncomplete, errors.New("the soak is incomplete"))
	default:
		return nil
	}
}
