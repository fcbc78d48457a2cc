package perf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// The names of a control plane's processes.
const (
	etcd           = "etcd"
	apiserver      = "kube-apiserver"
	scheduler      = "kube-scheduler"
	controllers    = "kube-controller-manager"
	ownControllers = "dra-controller-manager"
)

// Clusters makes control planes.
type Clusters interface {
	clusters.Provider
	// Processes are the ids of a cluster's processes by the names of the programs.
	Processes(name string) (map[string]int, error)
}

// Options say what is measured.
type Options struct {
	Clusters   Clusters
	Workloads  []Workload
	Thresholds []Threshold
	// Reference and Candidate are the stacks that are compared; the same stack twice shows
	// how much a comparison can be trusted.
	Reference clusters.Stack
	Candidate clusters.Stack
	// Blocks is how often each workload is measured on both sides.
	Blocks int
	// Version of Kubernetes; empty means the newest known one.
	Version string
	// Name is the beginning of the names of the control planes, which end in the side.
	Name string
	// Dir is where the results go; it is there already.
	Dir string
	Out io.Writer
}

// Run measures all workloads and judges them. What was measured is in Dir also where
// there is an error: a run that was interrupted is Incomplete.
func Run(ctx context.Context, o Options) (Record, error) {
	p := progress.New(o.Out)
	record := newRecord(o)
	var err error
	for _, w := range o.Workloads {
		if err = o.measure(ctx, p, w, &record); err != nil {
			err = fmt.Errorf("measure workload %s: %w", w.Name, err)
			break
		}
	}
	record.finish(o.Thresholds, err)
	return record, errors.Join(err, record.write(o.Dir))
}

// measure makes a control plane for each side, and rounds of a workload in turns.
func (o Options) measure(ctx context.Context, p *progress.Printer, w Workload, record *Record) (err error) {
	sides := map[Side]*field{}
	for _, side := range []Side{Reference, Candidate} {
		f, err := o.open(ctx, w, side)
		defer func() { err = errors.Join(err, f.close(ctx)) }()
		if err != nil {
			return err
		}
		sides[side], record.Kubernetes = f, f.version
		if _, err := f.round(ctx, w); err != nil {
			return fmt.Errorf("warm up: %w", err)
		}
	}
	start := time.Now()
	for block := range o.Blocks {
		order := []Side{Reference, Candidate}
		if block%2 == 1 {
			order = []Side{Candidate, Reference}
		}
		values := map[Side]map[Metric]float64{}
		for _, side := range order {
			if values[side], err = sides[side].round(ctx, w); err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
			record.Rounds = append(record.Rounds, Round{Workload: w.Name, Block: block, Side: side, Values: values[side]})
		}
		left := time.Since(start) / time.Duration(block+1) * time.Duration(o.Blocks-block-1)
		p.Printf("  %s %d/%d: %s; %s; %s left", w.Name, block+1, o.Blocks, brief(Reference, values), brief(Candidate, values), left.Round(time.Second))
	}
	return nil
}

// open makes the control plane of one side with what all rounds of a workload share.
// What it returns must be closed, even if there is an error.
func (o Options) open(ctx context.Context, w Workload, side Side) (*field, error) {
	stack := o.Reference
	if side == Candidate {
		stack = o.Candidate
	}
	bed, err := testbed.Open(ctx, testbed.Parts{Clusters: o.Clusters}, testbed.Config{Out: o.Out, Cluster: clusters.Config{
		Name: o.Name + "-" + string(side), Provider: clusters.ProviderControlPlane, Version: o.Version, Nodes: w.Nodes, Stack: stack,
	}})
	f := &field{bed: bed, client: bed.Client, scheduled: map[string]time.Time{}}
	if err != nil {
		return f, err
	}
	version, err := f.client.Discovery().ServerVersion()
	if err != nil {
		return f, fmt.Errorf("ask for the version of Kubernetes: %w", err)
	}
	f.version = version.GitVersion
	if f.processes, err = o.Clusters.Processes(bed.Cluster); err != nil {
		return f, err
	}
	if err := w.setUp(ctx, f.client); err != nil {
		return f, err
	}
	return f, f.watch(ctx)
}

func brief(side Side, values map[Side]map[Metric]float64) string {
	v := values[side]
	return fmt.Sprintf("%s %.0f pods/s, %.2f ms scheduler CPU a pod", side, v[PodsPerSecond], 1000*v[SchedulerCPU])
}

// setUp makes what all rounds of a workload share.
func (w Workload) setUp(ctx context.Context, client kubernetes.Interface) error {
	if w.Claims == NoClaims {
		return nil
	}
	if _, err := client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(ClassName, DriverName), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create class %s: %w", ClassName, err)
	}
	template := objects.Template(templateName, w.claim(templateName))
	if _, err := client.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create template %s: %w", templateName, err)
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	var slices []*resourceapi.ResourceSlice
	for i := range nodes.Items {
		slices = append(slices, w.slice(nodes.Items[i].Name))
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(createdAtOnce)
	for _, s := range slices {
		group.Go(func() error {
			if _, err := client.ResourceV1().ResourceSlices().Create(ctx, s, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("create slice %s: %w", s.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}
