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

package components

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

type program struct {
	name string
	// lease is the leader's lease in kube-system; empty for kubelets.
	lease string
}

func programOf(m Mutant) program {
	switch component := m.Component(); {
	case m.Stock:
		return program{StockProgram(component), ""} // on a control plane, without leader election
	case component == spec.Scheduler:
		return program{"kube-scheduler", "kube-scheduler"}
	case component == spec.Controllers:
		return program{"dra-controller-manager", "dra-controller-manager"}
	default:
		return program{"kubelet", ""}
	}
}

// StockProgram is Kubernetes' program for a component of LoadStock's mutants, or "".
func StockProgram(component string) string {
	switch component {
	case spec.Scheduler:
		return "kube-scheduler"
	case spec.Controllers:
		return "kube-controller-manager"
	case apiServer:
		return "kube-apiserver"
	}
	return ""
}

const (
	// switchTime bounds a component's restart with another mutant; it takes 2 to 5 s.
	switchTime = time.Minute
	switchPoll = 200 * time.Millisecond
)

// switcher restarts a cluster's components with another mutant, or none. They must be built with Overlay: others
// would be terminated by its signal.
type switcher interface {
	// signal writes the mutant's name for the program's processes, and signals them to restart.
	signal(ctx context.Context, p program, mutant string) error
	// works returns why not all of them work with the mutant, or "".
	works(ctx context.Context, p program, mutant string) string
	// processes has a line per process of the program, unique to it: its PID and start time. It is empty if none runs.
	processes(ctx context.Context, p program) (string, error)
}

// turn returns once the program works with the mutant.
func turn(ctx context.Context, s switcher, p program, mutant string) error {
	if err := s.signal(ctx, p, mutant); err != nil {
		return fmt.Errorf("switch %s to mutant %q: %w", p.name, mutant, err)
	}
	why := ""
	err := wait.PollUntilContextTimeout(ctx, switchPoll, switchTime, true, func(ctx context.Context) (bool, error) {
		why = s.works(ctx, p, mutant)
		return why == "", nil
	})
	if err != nil {
		return fmt.Errorf("switch %s to mutant %q: %w: %s", p.name, mutant, err, why)
	}
	return nil
}

// onNodes switches programs running on a cluster's nodes.
type onNodes struct {
	machines []clusters.Machine
	client   kubernetes.Interface
}

// each runs a script for each process of a program, with the process's directory as $d, the program's name as $1 and
// the mutant's as $2.
func (s onNodes) each(ctx context.Context, p program, mutant, script string) (string, error) {
	const head = `for d in /proc/[0-9]*; do
  first=$(tr '\0' '\n' <"$d/cmdline" 2>/dev/null | head -n 1)
  [ "${first##*/}" = "$1" ] || continue
  `
	var all strings.Builder
	for _, m := range s.machines {
		out, err := m.Run(ctx, nil, "sh", "-c", head+script+"\ndone", "sh", p.name, mutant)
		if err != nil {
			return "", fmt.Errorf("look for %s on %s: %w", p.name, m, err)
		}
		all.WriteString(out)
	}
	return all.String(), nil
}

func (s onNodes) signal(ctx context.Context, p program, mutant string) error {
	// A node's /dev/shm does not survive its reboot, the kubelet's directory does.
	output, err := s.each(ctx, p, mutant, `printf %s "$2" >"$d/root/dev/shm/dratest-mutant" &&
    { [ "$1" != kubelet ] || printf %s "$2" >"$d/cwd/dratest-mutant"; } && kill -USR1 "${d#/proc/}" && echo told`)
	if err != nil {
		return err
	}
	if !strings.Contains(output, "told") {
		return fmt.Errorf("no node runs %s", p.name)
	}
	if p.lease == "" {
		return nil
	}
	if err := s.started(ctx, p, mutant); err != nil {
		return err
	}
	// It waits for its own previous lease.
	err = s.client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(ctx, p.lease, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("take the lease of %s away: %w", p.name, err)
	}
	return nil
}

// The start time is field 22 of stat (proc_pid_stat(5)); the second one may have spaces.
func (s onNodes) processes(ctx context.Context, p program) (string, error) {
	return s.each(ctx, p, "", `echo "${d#/proc/} $(sed 's/.*) //' "$d/stat" | cut -d ' ' -f 20)"`)
}

// started waits until the processes have the mutant's name in their environment.
func (s onNodes) started(ctx context.Context, p program, mutant string) error {
	seen := ""
	err := wait.PollUntilContextTimeout(ctx, switchPoll, switchTime, true, func(ctx context.Context) (bool, error) {
		out, err := s.each(ctx, p, mutant, `tr '\0' '\n' <"$d/environ" | grep ^DRATEST_MUTANT= || echo not switched`)
		seen = out
		if err != nil {
			seen = err.Error()
			return false, nil
		}
		for line := range strings.Lines(out) {
			if strings.TrimSpace(line) != "DRATEST_MUTANT="+mutant {
				return false, nil
			}
		}
		return out != "", nil
	})
	if err != nil {
		return fmt.Errorf("wait for it to start anew: %w: %s", err, seen)
	}
	return nil
}

func (s onNodes) works(ctx context.Context, p program, mutant string) string {
	if p.lease != "" {
		lease, err := s.client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, p.lease, metav1.GetOptions{})
		switch {
		case err != nil:
			return err.Error()
		case ptr.Deref(lease.Spec.HolderIdentity, "") == "":
			return "nobody leads"
		}
		return ""
	}
	if err := s.started(ctx, p, mutant); err != nil {
		return err.Error()
	}
	if _, err := s.each(ctx, p, mutant, `curl --silent --fail --output /dev/null http://127.0.0.1:10248/healthz || exit 1`); err != nil {
		return err.Error()
	}
	return ""
}

// asProcesses switches local processes of a control plane.
type asProcesses struct {
	cluster string
	control ControlPlane
}

// ControlPlane is a provider with components as local processes.
type ControlPlane interface {
	// Processes are them by the programs' names.
	Processes(cluster string) (map[string]clusters.Process, error)
	// Healthy is an error unless the program answers.
	Healthy(ctx context.Context, cluster, program string) error
}

func (s asProcesses) find(p program) (pid int, err error) {
	all, err := s.control.Processes(s.cluster)
	if err != nil {
		return 0, fmt.Errorf("find %s: %w", p.name, err)
	}
	process, ok := all[p.name]
	if !ok {
		return 0, fmt.Errorf("the control plane has no %s", p.name)
	}
	return process.ID, nil
}

func (s asProcesses) signal(_ context.Context, p program, mutant string) error {
	pid, err := s.find(p)
	if err != nil {
		return err
	}
	err = os.WriteFile(fmt.Sprintf("/proc/%d/cwd/dratest-mutant", pid), []byte(mutant), 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it has ended by itself: a mutant must not crash; --only leaves one out")
	}
	if err != nil {
		return fmt.Errorf("name the mutant: %w", err)
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("find %s: %w", p.name, err)
	}
	return process.Signal(syscall.SIGUSR1)
}

func (s asProcesses) processes(_ context.Context, p program) (string, error) {
	pid, err := s.find(p)
	if err != nil {
		return "", err
	}
	stat, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", p.name, err)
	}
	_, fields, _ := strings.Cut(string(stat), ") ")
	return fmt.Sprintf("%d %s\n", pid, strings.Fields(fields)[19]), nil
}

func (s asProcesses) works(ctx context.Context, p program, mutant string) string {
	pid, err := s.find(p)
	if err != nil {
		return err.Error()
	}
	environment, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "environ"))
	if err != nil {
		return err.Error()
	}
	if !strings.Contains("\x00"+string(environment), "\x00DRATEST_MUTANT="+mutant+"\x00") {
		return "it has not started anew"
	}
	if err := s.control.Healthy(ctx, s.cluster, p.name); err != nil {
		return err.Error()
	}
	return ""
}
