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

package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/onsi/ginkgo/v2/types"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Lifecycle is a case in pieces, outside of Ginkgo, with changes of the cluster between them. Its
// namespace, nodes and driver last from Begin to End, even beyond the end of a process (Resume).
type Lifecycle struct {
	t    *T
	last *Failure
}

// Failure is how a piece of a case failed.
type Failure struct {
	// Text is the assertion or error, Location its file:line, LastStep the step before it.
	Text     string
	Location string
	LastStep string
	// Evidence is the directory of evidence, relative to the report directory.
	Evidence string
	// Blocked is why the failure is not the case's own; empty if it is.
	Blocked string
}

// NewLifecycle returns a case; call Begin or Resume.
func NewLifecycle(m spec.Meta, e *Env) *Lifecycle {
	l := &Lifecycle{t: newT(m, e)}
	l.t.say = io.Discard
	l.t.abort = func(message string, skip ...int) {
		panic(ended{Failure{Text: message, Location: locate(m.ID, types.NewCodeLocation(1+first(skip)))}})
	}
	l.t.why = func() string {
		if l.last == nil {
			return ""
		}
		return l.last.Text
	}
	return l
}

// ended is the panic of a failed piece.
type ended struct{ failure Failure }

func first(numbers []int) int {
	if len(numbers) == 0 {
		return 0
	}
	return numbers[0]
}

// Begin creates the namespace and starts the driver.
func (l *Lifecycle) Begin(ctx context.Context) *Failure {
	return l.Run(ctx, spec.DefaultTimeout, (*T).setUp)
}

// Resume continues in the namespace of an earlier process.
func (l *Lifecycle) Resume(ctx context.Context, namespace string) *Failure {
	return l.Run(ctx, spec.DefaultTimeout, func(t *T) {
		open := t.env.Connect
		if open == nil {
			open = connect
		}
		var err error
		t.Client, t.objects, err = open(t.env.Config)
		t.NoError(err, "connect to the cluster")
		var missing error
		err = await.Until(t.ctx, func(ctx context.Context) (bool, error) {
			_, err := t.Client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				missing, err = err, nil
			}
			return err == nil, err
		})
		t.NoError(errors.Join(err, missing), "find namespace %s", namespace)
		t.Namespace = namespace
		t.Nodes = pickNodes(t.env.nodes(t.meta), t.meta.Needs.LeastNodes(), t.meta.ID)
		t.Step(namespaceStep+"%s, again", namespace)
		t.Driver = t.newDriver(true)
	})
}

// Namespace is where the case's objects are.
func (l *Lifecycle) Namespace() string { return l.t.Namespace }

// KnownIssue is the known issue seen by the last piece, with the piece's status and the directory of its evidence, or
// empty.
func (l *Lifecycle) KnownIssue() (status spec.Status, text, evidence string) {
	if l.t.known == "" {
		return "", "", ""
	}
	status, text, _ = l.t.excused(l.t.known)
	return status, text, l.t.folder
}

// Run runs a piece of the case. A failure is returned with its evidence. Of known issues, only the
// first one of a case has evidence.
func (l *Lifecycle) Run(ctx context.Context, timeout time.Duration, do func(t *T)) *Failure {
	run, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("it took longer than %s", timeout))
	defer cancel()
	l.t.ctx, l.t.known = run, ""
	failure := l.piece(do)
	if failure == nil && l.t.known != "" {
		l.t.GatherEvidence(ctx)
	}
	if failure == nil || ctx.Err() != nil {
		return failure
	}
	failure.LastStep = lastStep(l.t.stepsSoFar(), time.Time{})
	l.last = failure
	l.t.gather(ctx)
	failure.Evidence = l.t.folder
	return failure
}

// piece runs a piece. A panic fails it, and does not end the cases beside it.
func (l *Lifecycle) piece(do func(t *T)) (failure *Failure) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case ended:
			failure = &p.failure
		default:
			at := types.NewCodeLocationWithStackTrace(2)
			l.t.Note("panic: %v\n%s", p, at.FullStackTrace)
			failure = &Failure{Text: fmt.Sprintf("panic: %v", p), Location: locate(l.t.meta.ID, at)}
		}
		if failure != nil {
			failure.Blocked = l.t.blocked
		}
	}()
	do(l.t)
	return nil
}

// End removes everything, pods first. The error lists the rest.
func (l *Lifecycle) End(ctx context.Context) error {
	t := l.t
	if t.Namespace == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cleanupTimeout, fmt.Errorf("not done after %s", cleanupTimeout))
	defer cancel()
	t.ctx = ctx
	stuck := t.remove(ctx)
	if stuck != nil {
		l.last = cmp.Or(l.last, &Failure{Text: stuck.Error()})
		t.gather(ctx)
	}
	return errors.Join(stuck, t.finish(ctx, errors.Is(stuck, errPodsStay)))
}
