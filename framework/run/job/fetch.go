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

package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/reports"
)

// ErrNoResults: there is nothing to fetch, and waiting is hopeless.
var ErrNoResults = errors.New("no results to fetch")

// OutputFile has the run's output, in the directory filled by Fetch.
const OutputFile = "run.log"

// Size limits of data from the pod, in bytes. Reports of all cases take about 100 MiB.
const (
	maxReport = int64(1 << 30)
	maxOutput = int64(64 << 20)
)

// interval is Fetch's polling interval for the Job's pod, and each tenth time for the run's output.
const (
	interval = 2 * time.Second
	signs    = 10
)

// Fetched is the result of a Job's run.
type Fetched struct {
	Pod      string
	ExitCode int32
}

// Fetch waits for the run of the Job in a namespace to end, copies its report into dir, after clean has removed any
// existing one, and then lets the Job's pod end. It changes nothing in the cluster until the copy is complete, so it can
// be repeated. It calls say on changes and periodically. Errors are ErrNoResults, reports.ErrInUse, ctx's with the last
// state, and failures to reach the cluster.
func Fetch(ctx context.Context, config *rest.Config, namespace, dir string, clean func(dir string) error, say func(string)) (Fetched, error) {
	client, err := kube.NewForConfig(config)
	if err != nil {
		return Fetched{}, fmt.Errorf("use the kubeconfig for %s: %w", config.Host, err)
	}
	unlock, err := reports.Lock(dir)
	if err != nil {
		return Fetched{}, err
	}
	defer unlock()
	fetched, err := ended(ctx, client, namespace, say)
	if err != nil {
		return fetched, err
	}
	keep := func(ctx context.Context, out io.Writer, do string) error {
		var problem bytes.Buffer
		if err := kube.Exec(ctx, config, namespace, fetched.Pod, keeper, []string{Program, "job", do, volume}, out, &problem); err != nil {
			return fmt.Errorf("have pod %s/%s %s the results: %w %s", namespace, fetched.Pod, do, err, strings.TrimSpace(problem.String()))
		}
		return nil
	}
	log := func() ([]byte, error) {
		return client.CoreV1().Pods(namespace).GetLogs(fetched.Pod, &corev1.PodLogOptions{Container: runner, LimitBytes: ptr.To(maxOutput)}).DoRaw(ctx)
	}
	send := func(ctx context.Context, w io.Writer) error { return keep(ctx, w, "send") }
	if err := receive(ctx, dir, maxReport, clean, send, log); err != nil {
		return fetched, err
	}
	return fetched, keep(ctx, io.Discard, "release")
}

// receive stores a report and its run's output in dir, replacing an earlier report there. Both must arrive completely
// before anything in dir changes.
func receive(ctx context.Context, dir string, limit int64, clean func(dir string) error, send func(context.Context, io.Writer) error, log func() ([]byte, error)) (err error) {
	staging, err := os.MkdirTemp(dir, ".fetched-")
	if err != nil {
		return fmt.Errorf("make a directory for the report: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	packed, sent := io.Pipe()
	sending, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	unpacked := make(chan error, 1)
	go func() {
		err := unpack(packed, staging, limit)
		if err != nil {
			stop(err)
			_ = packed.CloseWithError(err)
		}
		unpacked <- err
	}()
	err = send(sending, sent)
	if err != nil && sending.Err() != nil {
		err = context.Cause(sending)
	}
	_ = sent.CloseWithError(err)
	if unpackErr := <-unpacked; err == nil {
		err = unpackErr
	}
	if err != nil {
		return err
	}
	printed, err := log()
	if err == nil {
		err = os.WriteFile(filepath.Join(staging, OutputFile), printed, 0o644)
	}
	if err != nil {
		return fmt.Errorf("fetch what the run has printed: %w", err)
	}
	if err := clean(dir); err != nil {
		return err
	}
	return moveInto(dir, filepath.Base(staging))
}

// ended waits until the run has ended in a pod still holding its results.
func ended(ctx context.Context, client kubernetes.Interface, namespace string, say func(string)) (found Fetched, err error) {
	waiting, looked := "", 0
	err = wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		job, err := client.BatchV1().Jobs(namespace).Get(ctx, Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, fmt.Errorf("%w: there is no Job %s in namespace %s: apply what `dratest manifests` prints, or name its namespace", ErrNoResults, Name, namespace)
		}
		if err != nil {
			return false, fmt.Errorf("look for the Job: %w", err)
		}
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + Name})
		if err != nil {
			return false, fmt.Errorf("look for the Job's pod: %w", err)
		}
		now := "a pod of Job " + Name
		// A pod of an earlier, deleted Job may still exist.
		ofJob := func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, job) }
		if i := slices.IndexFunc(pods.Items, ofJob); i >= 0 {
			pod := pods.Items[i] // the Job makes no other
			found.Pod = pod.Name
			if now, found.ExitCode, err = state(pod); err != nil || now == "" {
				return err == nil, err
			}
		}
		if now != waiting {
			waiting, looked = now, 0
			say("wait for " + now)
		} else if looked++; looked%signs == 0 {
			say("still waiting; the run says: " + lastLine(ctx, client, namespace, found.Pod))
		}
		return false, nil
	})
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("wait for %s: %w", waiting, err)
	}
	return found, err
}

// lastLine is the run's last output line, or why it is unknown.
func lastLine(ctx context.Context, client kubernetes.Interface, namespace, pod string) string {
	line, err := client.CoreV1().Pods(namespace).GetLogs(pod, &corev1.PodLogOptions{Container: runner, TailLines: ptr.To[int64](1), LimitBytes: ptr.To[int64](1 << 10)}).DoRaw(ctx)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	return strings.TrimSpace(string(line))
}

// hopeless are waiting reasons of containers that need an intervention.
var hopeless = []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "CreateContainerConfigError"} //nolint:gochecknoglobals // a table

// state returns the awaited state of the Job's pod; empty with the run's exit code once that has ended.
func state(pod corev1.Pod) (waiting string, exitCode int32, err error) {
	name := pod.Namespace + "/" + pod.Name
	statuses := map[string]corev1.ContainerState{}
	for _, s := range pod.Status.ContainerStatuses {
		statuses[s.Name] = s.State
		if w := s.State.Waiting; w != nil && slices.Contains(hopeless, w.Reason) {
			return "", 0, fmt.Errorf("%w: pod %s does not start: %s: %s: the nodes need its image (`dratest images list`)", ErrNoResults, name, w.Reason, w.Message)
		}
	}
	if t := statuses[keeper].Terminated; t != nil {
		return "", 0, fmt.Errorf("%w: pod %s has ended at %s, after they were fetched or because it was ended (%s): delete the Job and apply it again for another run",
			ErrNoResults, name, t.FinishedAt.Format(time.RFC3339), t.Reason)
	}
	switch {
	case pod.Status.Phase == corev1.PodFailed || pod.DeletionTimestamp != nil:
		return "", 0, fmt.Errorf("%w: pod %s has ended before they were fetched: %s %s", ErrNoResults, name, pod.Status.Reason, pod.Status.Message)
	case statuses[runner].Terminated != nil && statuses[keeper].Running != nil:
		return "", statuses[runner].Terminated.ExitCode, nil
	case statuses[runner].Running != nil:
		return fmt.Sprintf("the run to end; its output: kubectl -n %s logs -f job/%s -c %s", pod.Namespace, Name, runner), 0, nil
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return fmt.Sprintf("pod %s to be scheduled: %s", name, c.Message), 0, nil
		}
	}
	return fmt.Sprintf("pod %s to start", name), 0, nil
}
