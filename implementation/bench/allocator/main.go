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
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dra-conformance/dratest/implementation/bench/hard"
)

func main() {
	only := flag.String("only", "", "families to run, separated by commas; all if empty")
	peer := flag.Bool("peer-only", false, "measure upstream only")
	flag.Parse()
	runtime.LockOSThread() // times are the thread's
	b := bench{peerOnly: *peer}
	if *only != "" {
		b.only = strings.Split(*only, ",")
	}
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type bench struct {
	only     []string
	peerOnly bool
	largest  []string
	last     []string
}

func (b *bench) run() error {
	fmt.Printf("Times are CPU time of one thread per call, the best of %d rounds; upstream gives up after %s.\n\n", rounds, limitUpstream)
	for _, f := range hard.Families() {
		if b.wants(f.Name) {
			if err := b.family(f); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	if b.wants("filter500") {
		if err := b.filter(); err != nil {
			return fmt.Errorf("filter500: %w", err)
		}
	}
	fmt.Printf("our time at 128 devices (mig: 126): %s\n", strings.Join(b.largest, ", "))
	fmt.Printf("allocator: %s\n", strings.Join(b.last, " "))
	return nil
}

func (b *bench) wants(name string) bool { return len(b.only) == 0 || slices.Contains(b.only, name) }

func table() *tabwriter.Writer {
	return tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// family measures both allocators up to the size of the last line, and ours above.
func (b *bench) family(f hard.Family) error {
	fmt.Printf("%s: %s\n", f.Name, f.Size)
	w := table()
	fmt.Fprintln(w, "size\tdevices\tupstream\tB/op\tallocs/op\town\tB/op\tallocs/op\town, cold\tratio\t")
	for _, size := range slices.Concat(f.Sizes, f.Larger) {
		t := f.Build(size)
		var theirs cost
		var err error
		if slices.Contains(f.Sizes, size) {
			if theirs, err = measure(upstream(t, limitUpstream)); err != nil {
				return err
			}
		}
		ours, first, err := b.ours(t)
		if err != nil {
			return err
		}
		line(w, fmt.Sprint(size), t, theirs, ours, first)
		if size == f.Key {
			b.last = append(b.last, fmt.Sprintf("%s%d=%.0f", f.Name, size, ratio(theirs.time, ours.time)))
		}
		if size == f.Larger[len(f.Larger)-1] {
			b.largest = append(b.largest, fmt.Sprintf("%s %s", f.Name, ours))
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	fmt.Println()
	return nil
}

func (b *bench) ours(t hard.Task) (warm, first cost, err error) {
	if b.peerOnly {
		return cost{}, cost{}, nil
	}
	if warm, err = measure(hard.Own(t)); err != nil {
		return cost{}, cost{}, err
	}
	first, err = measure(hard.Cold(t))
	return warm, first, err
}

func line(w *tabwriter.Writer, name string, t hard.Task, theirs, ours, first cost) {
	times := "-"
	if r := ratio(theirs.time, ours.time); r > 0 {
		times = fmt.Sprintf("%.0f", r)
	}
	fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%d\t%s\t%d\t%d\t%s\t%s\t\n", name, t.Devices,
		theirs, theirs.bytes, theirs.allocs, ours, ours.bytes, ours.allocs, first, times)
}

// filter measures one pod on 500 nodes. The last line has the smallest ratio of the counted
// variants.
func (b *bench) filter() error {
	fmt.Println("filter500: one pod that asks for one device, tried on 500 nodes of 8 devices")
	w := table()
	fmt.Fprintln(w, "variant\tdevices\tupstream\tB/op\tallocs/op\town\tB/op\tallocs/op\town, cold\tratio\t")
	least, allocs := 0.0, 0.0
	for _, v := range hard.Variants() {
		t := hard.Filter500(v)
		theirs, err := measure(upstream(t, limitUpstream))
		if err != nil {
			return err
		}
		ours, first, err := b.ours(t)
		if err != nil {
			return err
		}
		line(w, v.Name, t, theirs, ours, first)
		if r := ratio(theirs.time, ours.time); v.Counted && (least == 0 || r < least) {
			least = r
		}
		if r := float64(theirs.allocs) / float64(max(ours.allocs, 1)); v.Counted && (allocs == 0 || r < allocs) {
			allocs = r
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	fmt.Printf("filter500: upstream makes at least %.0f times our allocations (smallest of the variants without unique devices, as is the ratio below)\n\n", allocs)
	b.last = append(b.last, fmt.Sprintf("filter500=%.0f", least))
	return nil
}
