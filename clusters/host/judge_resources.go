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

package host

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func judgeDisk(f facts) Row {
	row := Row{Name: "disk", State: OK}
	if len(f.Disks) == 0 {
		row.State, row.Found = Warning, "unknown"
		row.Advice = fmt.Sprintf("a first build needs %s free", size(diskToBuild))
		return row
	}
	need := uint64(diskToBuild)
	if f.Built {
		need = diskToRun
	}
	var found, short []string
	worst := slices.MinFunc(f.Disks, func(a, b disk) int { return cmp.Compare(a.Free, b.Free) })
	for _, d := range f.Disks {
		found = append(found, fmt.Sprintf("%s free in %s", size(d.Free), d.Path))
		if d.Free < need {
			short = append(short, d.Path)
		}
	}
	row.Found = strings.Join(found, ", ")
	switch {
	case len(short) > 0:
		row.State = Missing
		row.Advice = fmt.Sprintf("make %s free in %s (\"dratest images prune\", \"docker system prune\", \"go clean -cache\")",
			size(need), strings.Join(short, " and "))
	case worst.Free < diskToBuild:
		row.State, row.Advice = Warning, fmt.Sprintf("enough to run; building another node image needs %s", size(diskToBuild))
	}
	return row
}

func judgeMemory(f facts) Row {
	row := Row{Name: "memory", State: OK}
	available, what := f.Memory, "available"
	if f.OS != "linux" && f.Engine.Memory > 0 {
		available, what = f.Engine.Memory, "in the engine's machine"
	}
	switch {
	case available == 0:
		row.State, row.Found = Warning, "unknown"
		row.Advice = fmt.Sprintf("three nodes need %s", size(memory))
		return row
	case available < memoryAtAll:
		row.State = Missing
		row.Advice = fmt.Sprintf("three nodes need %s: end other programs, or give the machine more", size(memory))
	case available < memory:
		row.State = Warning
		row.Advice = fmt.Sprintf("three nodes need %s: run fewer workers, or fewer cases at a time", size(memory))
	}
	row.Found = size(available) + " " + what
	return row
}

func judgeGo(f facts) Row {
	row := Row{Name: "go", State: OK, Found: f.Go}
	switch {
	case f.Go == "":
		row.State, row.Found = Warning, "none"
		row.Advice = "needed only to build node images: https://go.dev/dl/"
	case olderThan(f.Go, goToBuild):
		row.State = Warning
		row.Advice = fmt.Sprintf("building needs %s or newer: https://go.dev/dl/", goToBuild)
	}
	return row
}

func judgeDebootstrap(f facts) Row {
	row := Row{Name: "debootstrap", State: OK, Found: f.Debootstrap}
	if f.Debootstrap != "" {
		return row
	}
	row.Found, row.State = "none", Warning
	switch {
	case f.Debian && f.Root:
		row.Fixable = true
		row.Advice = fmt.Sprintf("needed to build node images; %q installs it (30 s)", fixCommand)
		if !f.Built {
			row.State = Missing
		}
	case f.Debian:
		row.Advice = "needed only to build node images: as root, apt-get install debootstrap"
	default:
		row.Advice = "needed only to build node images: build them on Debian or Ubuntu"
	}
	return row
}

func judgeRoot(f facts) Row {
	if f.Root {
		return Row{Name: "root", State: OK, Found: "yes"}
	}
	row := Row{Name: "root", State: OK, Found: "no"}
	if f.OS == "linux" && (f.Engine.Version == "" || !f.Built) {
		row.State, row.Advice = Warning, "needed only to install or start an engine and to build node images"
	}
	return row
}

// size formats bytes as GiB with one decimal, or none if whole.
func size(bytes uint64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(bytes*10/gib)/10, 'f', 1, 64), ".0") + " GiB"
}

// olderThan compares Go versions by major and minor number.
func olderThan(version, than string) bool {
	return slices.Compare(majorMinor(version), majorMinor(than)) < 0
}

func majorMinor(version string) []int {
	numbers := make([]int, 0, 2)
	for part := range strings.SplitSeq(version, ".") {
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits < 0 {
			digits = len(part)
		}
		number, err := strconv.Atoi(part[:digits])
		if err != nil || len(numbers) == 2 {
			break
		}
		numbers = append(numbers, number)
	}
	return numbers
}
