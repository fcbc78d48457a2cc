package perf

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/prometheus/procfs"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/metrics"
)

// usage is what processes have used so far.
type usage struct {
	at time.Time
	// cpu is in seconds, by name of the process; self is this program.
	cpu  map[string]float64
	self float64
	// busy is what all processors of the machine have worked, in seconds.
	busy float64
	// rss is resident memory in bytes.
	rss map[string]float64
	// requests are those that the API server has got, writes the ones to change something,
	// by what they are, as "POST pods/binding".
	requests float64
	writes   map[string]float64
	// bytes is what the API server was sent and has sent.
	bytes float64
}

// look reads the usage of a control plane's processes, and what its API server counts.
func look(ctx context.Context, client kubernetes.Interface, processes map[string]clusters.Process) (u usage, err error) {
	u = usage{at: time.Now(), cpu: map[string]float64{}, rss: map[string]float64{}, writes: map[string]float64{}}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return u, fmt.Errorf("read what processes use: %w", err)
	}
	for name, process := range processes {
		s, err := statOf(fs, process.ID)
		if err != nil {
			return u, fmt.Errorf("read what %s uses (process %d): %w", name, process.ID, err)
		}
		u.cpu[name], u.rss[name] = s.CPUTime(), float64(s.ResidentMemory())
	}
	self, err := statOf(fs, os.Getpid())
	if err != nil {
		return u, fmt.Errorf("read what this program uses: %w", err)
	}
	u.self = self.CPUTime()
	all, err := fs.Stat()
	if err != nil {
		return u, fmt.Errorf("read what the machine does: %w", err)
	}
	t := all.CPUTotal
	u.busy = t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal
	families, err := metrics.APIServer(ctx, client)
	u.count(families)
	return u, err
}

func statOf(fs procfs.FS, pid int) (procfs.ProcStat, error) {
	p, err := fs.Proc(pid)
	if err != nil {
		return procfs.ProcStat{}, err
	}
	return p.Stat()
}

// traffic are the histograms of the API server whose sums are bytes. It does not count those of
// answers to writes.
var traffic = []string{"apiserver_request_body_size_bytes", "apiserver_response_sizes", "apiserver_watch_events_sizes"}

// count adds up requests and bytes.
func (u *usage) count(families metrics.Families) {
	for _, m := range families["apiserver_request_total"].GetMetric() {
		if metrics.Label(m, "resource") == "leases" {
			continue // those of nodes come by the clock
		}
		u.requests += m.GetCounter().GetValue()
		switch metrics.Label(m, "verb") {
		case "POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION":
			what := metrics.Label(m, "verb") + " " + metrics.Label(m, "resource")
			if sub := metrics.Label(m, "subresource"); sub != "" {
				what += "/" + sub
			}
			u.writes[what] += m.GetCounter().GetValue()
		}
	}
	for _, family := range traffic {
		for _, m := range families[family].GetMetric() {
			// Reads without a resource are those of these metrics.
			if resource := metrics.Label(m, "resource"); resource != "leases" && resource != "" {
				u.bytes += m.GetHistogram().GetSampleSum()
			}
		}
	}
}

// writesSince are the writes by pod since an earlier look, without those of this program.
func (u *usage) writesSince(before usage, ours map[string]int, pods int) map[string]float64 {
	out := map[string]float64{}
	for what, count := range u.writes {
		if n := count - before.writes[what] - float64(ours[what]); n > 0 {
			out[what] = n / float64(pods)
		}
	}
	return out
}

// others is the share of the machine, from 0 to 1, that went to neither this program nor
// the control plane.
func others(before, after usage) float64 {
	ours := after.self - before.self
	for name := range after.cpu {
		ours += after.cpu[name] - before.cpu[name]
	}
	wall := after.at.Sub(before.at).Seconds() * float64(runtime.NumCPU())
	return max(0, after.busy-before.busy-ours) / wall
}
