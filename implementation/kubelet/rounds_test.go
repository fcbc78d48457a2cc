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

package kubelet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Each pod waited for the checkpoints of all earlier pods, with the manager locked: 100 concurrent
// pod starts took twice as long as with the kubelet's manager, and a hanging disk blocked pod
// status updates.
func TestPodsShareCheckpointsOfADiskThatHangs(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	pods := make([]*corev1.Pod, 20)
	for i := range pods {
		pods[i] = pod(fmt.Sprint("p", i), fmt.Sprint("c", i))
		w.reserve(claim(fmt.Sprint("c", i), "a"), pods[i])
	}
	// Writes to a FIFO without reader hang, and fail after it was read.
	if err := syscall.Mkfifo(w.path()+".tmp", 0o600); err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithCancel(w.ctx)
	ended := make(chan error)
	go func() { ended <- w.manager.Prepare(impatient, pods[0]) }()
	w.eventually("the first pod writes", w.manager.Writing)
	results := make(chan error, len(pods))
	for _, p := range pods[1:] {
		go func() { results <- w.manager.Prepare(w.ctx, p) }()
	}
	w.eventually("all pods wait", func() bool { return w.manager.Waiting() == len(pods) })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the pod that does not wait any more got %v", err)
	}
	if w.manager.MightNeedToUnprepare(pods[0].UID) {
		t.Error("the pod has no claim before it is written")
	}

	pipe, err := os.Open(w.path() + ".tmp")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pipe.Close() }()
	for range pods[1:] {
		w.fails(<-results, "prepare dynamic resources: checkpoint ResourceClaim state: sync "+w.path()+".tmp: invalid argument")
	}
	w.equal("calls", a.seen(), "")
	w.together(pods, w.prepare)
	w.together(pods, w.unprepare)
	w.equal("checkpoint", w.saved(), "")
}
