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

package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"

	"github.com/dra-conformance/dratest/framework/limit"
)

// maxErrors is the size limit of a command's stderr, in bytes.
const maxErrors = 16 << 20

// Exec runs a command in a container. It fails if the command writes more than 16 MiB to stderr, or its output cannot
// be written.
func Exec(ctx context.Context, config *rest.Config, namespace, pod, container string, command []string, stdout, stderr io.Writer) error {
	client, err := NewForConfig(config)
	if err != nil {
		return err
	}
	request := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: container, Command: command, Stdout: true, Stderr: true}, scheme.ParameterCodec)
	executor, err := remotecommand.NewSPDYExecutor(config, "POST", request.URL())
	if err != nil {
		return fmt.Errorf("connect to %s: %w", config.Host, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &output{to: stdout, fail: cancel}
	errs := &output{to: limit.Writer(stderr, maxErrors), fail: cancel}
	err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: out, Stderr: errs})
	if failed := cmp.Or(out.end(), errs.end()); failed != nil {
		return failed
	}
	return err
}

// output ends a command if its output cannot be written: client-go drops the rest of the output without an error.
type output struct {
	to   io.Writer
	fail context.CancelCauseFunc

	mutex sync.Mutex
	err   error
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	if err != nil {
		o.err = err
		o.fail(err)
	}
	return n, err
}

// errEnded: the command may still write if its context has ended.
var errEnded = errors.New("the command has ended")

// end returns the error of writing, after which nothing is written.
func (o *output) end() error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	err := o.err
	o.err = cmp.Or(err, errEnded)
	return err
}
