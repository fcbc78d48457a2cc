package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/apiserver"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/mutants"
	"github.com/dra-conformance/dratest/framework/prove/spoils"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

// provedCluster says which cluster a proof is about.
type provedCluster struct {
	kubeconfig, context string
	config              clusters.Config
	stack               stackFlags
}

func (c *provedCluster) add(cmd *cobra.Command, name string) {
	addClusterFlags(cmd.Flags(), &c.kubeconfig, &c.context, &c.config)
	c.stack.add(cmd.Flags())
	cmd.Flags().Lookup("name").Usage = "name of the cluster that is made"
	cmd.Flags().Lookup("name").DefValue = name
	c.config.Name = name
}

// where is the cluster in words, for the proof's record.
func (c *provedCluster) where() string {
	if c.kubeconfig != "" {
		return strings.TrimSpace("the cluster of " + c.kubeconfig + " " + c.context)
	}
	config := c.config.WithDefaults(versions.Newest().Kubernetes)
	gates := ""
	if len(config.FeatureGates) > 0 {
		gates = " with " + cliflag.NewMapStringBool(&config.FeatureGates).String()
	}
	if len(config.RuntimeConfig) > 0 {
		served := cliflag.ConfigurationMap(config.RuntimeConfig)
		gates += " serving " + served.String()
	}
	return fmt.Sprintf("Kubernetes %s (%s)%s", cmp.Or(config.Image, config.Version), config.Stack, gates)
}

func newProveMutantsCommand() *cobra.Command {
	var f proveFlags
	var c provedCluster
	var m mutantFlags
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "Break the test driver, this project's components and the API server in many ways and check that cases fail (5 hours)",
		Long: `Break the test driver ("dratest list --mutants"), this project's scheduler,
controllers and kubelets, what cases start, and the API server (docs/mutants.md) in many
ways, one after the other on one cluster, and check that cases fail. Of the driver's
mutants each case must notice those that it says it catches; of a component's mutant one case must notice it that claims the
requirement which the mutant breaks, and which passes without it: those that have noticed
nothing before all run, then the others until one notices.

The components' mutants need a checkout and Go, and those components from this project, as
all are by default where such mutants are among the trials. With --provider controlplane there are processes in
place of a kind cluster, for cases that need no kubelet.

The API server's mutants, api-*, are made by a proxy before it, on any cluster and any
stack. Some of them are for what scheduler or controllers are told, and write; these need
--provider controlplane.

No one cluster has what all cases need. --rest-of does what proofs on other clusters
leave: mutants that these do not kill, and those that a case must notice which has
noticed none in them. "make mutants" does so part by part.

With --changed-since only those mutants are tried that change a file which has changed in
the checkout since that commit, or that a case must notice which such a file has; those of
what changed last come first.

The last line also counts the cases that have noticed none of these mutants.`,
		Example: `  dratest prove mutants
  dratest prove mutants --resume
  dratest prove mutants --only 'kubelet-*' --shard 1/3
  dratest prove mutants --provider controlplane --stack stock --only 'api-*'
  dratest prove mutants --provider controlplane --feature-gates DRAFractionalCapacityRange=true --only scheduler-capacity-whole-numbers
  dratest prove mutants --provider controlplane --runtime-config resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true --only 'api-conversion-*'
  dratest prove mutants --rest-of _artifacts/control-plane --report-dir _artifacts/kind
  dratest prove mutants --provider controlplane --changed-since main --only 'api-*,scheduler-*,controllers-*'
  dratest prove mutants --only driver-prepare-hang,driver-unprepare-hang`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return proveMutants(cmd, f, c, m) },
	}
	f.add(cmd.Flags())
	f.addImages(cmd.Flags())
	c.add(cmd, "dratest-mutants")
	c.addMutants(cmd, &m)
	return cmd
}

func proveMutants(cmd *cobra.Command, f proveFlags, c provedCluster, m mutantFlags) (err error) {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	defer endOnNextSignal(ctx)()
	if c.config.Stack, err = c.stack.over(c.config.Stack); err != nil {
		return err
	}
	agents, p := simAgents(f.agentImage), parts()
	p.Agents = agents
	proof, ofComponents, ofAPI, err := mutantsProof(p, m.restOf)
	if err != nil {
		return err
	}
	verdict := proveError
	if cmd.Flags().Changed("changed-since") {
		verdict = changedError
		if f.only, err = putChangedFirst(ctx, &proof, ofComponents, m.changedSince, f.only); err != nil {
			return err
		}
		if len(f.only) == 0 {
			_, err = fmt.Fprintf(out, "mutants: what has changed since %s is about none of them\n", m.changedSince)
			return err
		}
	}
	_, trials, err := f.options(proof, out)
	if err != nil {
		return err
	}
	overlay, err := c.withMutants(trials, ofComponents)
	if err != nil {
		return err
	}
	provider := providers.NewClustersWith(progress.New(out), overlay)
	p.Clusters = provider
	proof.Where = c.where()
	o := run.Options{
		Kubeconfig: c.kubeconfig, Context: c.context, Cluster: c.config, Disruptive: m.disruptive, RestartNodes: m.disruptive,
		PodImage: f.podImage, Driver: reports.DriverOf(agents.Driver()), Out: out, Overlay: overlay,
	}
	if err := o.Validate(); err != nil {
		return withCode(codeUsage, err)
	}
	options, _, err := f.options(proof, out)
	if err != nil {
		return err
	}
	record, err := prove.Run(ctx, proof, &mutants.Prover{Parts: p, Options: o, Components: ofComponents, API: ofAPI, Provider: provider}, options)
	return verdict(ctx, record, err)
}

// mutantFlags are the flags that only a proof of mutants has, without those of its cluster.
type mutantFlags struct {
	restOf       []string
	changedSince string
	disruptive   bool
}

// addMutants adds the flags that only a proof of mutants has.
func (c *provedCluster) addMutants(cmd *cobra.Command, m *mutantFlags) {
	cmd.Flags().StringVar(&c.config.Provider, "provider", "", "make the cluster with this provider: kind (the default) or controlplane")
	cmd.Flags().Var(cliflag.NewMapStringBool(&c.config.FeatureGates), "feature-gates", "feature gates of the cluster that is made, for cases that need some that are off by default, as A=true,B=false")
	c.config.RuntimeConfig = map[string]string{}
	cmd.Flags().Var((*cliflag.ConfigurationMap)(&c.config.RuntimeConfig), "runtime-config", "APIs of the cluster that is made to switch on or off, as resource.k8s.io/v1beta1=true")
	cmd.Flags().StringSliceVar(&m.restOf, "rest-of", nil, "only what the proofs in these report directories leave, which were of other clusters")
	cmd.Flags().StringVar(&m.changedSince, "changed-since", "", "only mutants that are about what has changed in the checkout since this commit, as git knows it")
	cmd.Flags().BoolVar(&m.disruptive, "disruptive", false, "with --kubeconfig: run cases that restart kubelets and nodes or need the cluster alone, too; in clusters that are made they always run")
}

// mutantsProof is the proof of all mutants, or of what proofs in some directories leave, with
// the mutants that are data.
func mutantsProof(p run.Parts, restOf []string) (proof prove.Proof, ofComponents []components.Mutant, ofAPI []apiserver.Mutant, err error) {
	if ofComponents, err = components.Load(); err != nil {
		return proof, nil, nil, err
	}
	if ofAPI, err = apiserver.Load(); err != nil {
		return proof, nil, nil, err
	}
	if proof, err = mutants.Proof(run.Metas(p.Cases), ofComponents, ofAPI); err != nil || len(restOf) == 0 {
		return proof, ofComponents, ofAPI, err
	}
	if proof, err = prove.Rest(proof, reports.SuiteVersion(), restOf); err != nil {
		err = withCode(codeUsage, err)
	}
	return proof, ofComponents, ofAPI, err
}

// withMutants are the changes to the components' source if any of the trials is of a
// mutant of theirs; the cluster then has this project's components, unless it is said
// otherwise of those that none of the trials is about.
func (c *provedCluster) withMutants(trials []prove.Trial, mutants []components.Mutant) (map[string][]byte, error) {
	if c.config.Provider == clusters.ProviderControlPlane {
		c.config.Nodes = max(c.config.Nodes, simulatedNodes)
	}
	tried := slices.DeleteFunc(slices.Clone(mutants), func(m components.Mutant) bool {
		return !slices.ContainsFunc(trials, func(t prove.Trial) bool { return t.ID == m.ID })
	})
	if len(tried) == 0 {
		return nil, nil
	}
	stack, err := clusters.ParseStack(string(clusters.Own))
	if err != nil {
		return nil, err
	}
	if c.config.Provider == clusters.ProviderControlPlane {
		stack.Kubelet = ""
	}
	c.config.Stack = c.config.Stack.Over(stack)
	if c.kubeconfig != "" || len(c.config.Stack.KubeletNodes) > 0 || slices.ContainsFunc(tried, func(m components.Mutant) bool {
		return m.OfCluster() && c.config.Stack.Of(m.Component()) != stack.Of(m.Component())
	}) {
		return nil, withCode(codeUsage, errors.New("mutants of components are built into this project's, in a cluster that is made: leave --kubeconfig out, and do not choose other components with --stack than these mutants are of, or use --only 'driver-*'"))
	}
	root, err := checkout("mutants of components need a checkout of dratest around the working folder: run it in one, or use --only 'driver-*'")
	if err != nil {
		return nil, err
	}
	return components.Overlay(os.DirFS(root), mutants)
}

// checkout is the root of the checkout around the working folder. That there is none is an error
// with missing, which says what needs one.
func checkout(missing string) (string, error) {
	root, err := own.Checkout(own.Where{})
	if err == nil && root == "" {
		err = fmt.Errorf("%w: %s", clusters.ErrEnvironment, missing)
	}
	return root, err
}

func newProveSoakCommand() *cobra.Command {
	var f proveFlags
	var c provedCluster
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Spoil a cluster under load in every way and check that a soak says which rule was violated",
		Long: `Spoil a cluster under load in every way, one after the other, and check that a soak
says which rule was violated. Only objects and claims of the soak's own namespace
are spoiled, also on a cluster of --kubeconfig.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			defer endOnNextSignal(ctx)()
			if c.config.Stack, err = c.stack.over(c.config.Stack); err != nil {
				return err
			}
			o := spoils.Load(soak.Options{Kubeconfig: c.kubeconfig, Context: c.context, Cluster: c.config, PodImage: f.podImage, Out: out})
			if err := o.Validate(); err != nil {
				return withCode(codeUsage, err)
			}
			p := soak.Parts{Parts: testbed.Parts{Clusters: providers.NewClusters(progress.New(out)), Agents: simAgents(f.agentImage)}}
			proof := spoils.Proof()
			proof.Where = c.where()
			options, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			record, err := prove.Run(ctx, proof, &spoils.Prover{Parts: p, Options: o}, options)
			return proveError(ctx, record, err)
		},
	}
	f.add(cmd.Flags())
	f.addImages(cmd.Flags())
	c.add(cmd, "dratest-soak-proof")
	return cmd
}
