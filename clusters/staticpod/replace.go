package staticpod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
)

// Node is a machine on which commands can be run; String is its name in the
// cluster.
type Node interface {
	fmt.Stringer
	// Run runs a command and returns its standard output. The input may be nil.
	Run(ctx context.Context, input io.Reader, args ...string) (string, error)
}

// Replacement says what is to run.
type Replacement struct {
	Component Component
	// Manifest is the new one; its image must be on the node.
	Manifest []byte
	// Version is what the component has to report, as "v1.37.1".
	Version string
	// Gates are what the component has to report of feature gates; it may have
	// others.
	Gates map[string]bool
	// Timeout is how long the new component may take to work; zero means two
	// minutes. Then the old manifest is put back.
	Timeout time.Duration
}

// Replaced says what has happened.
type Replaced struct {
	// From and To are the images.
	From, To string
	// Gap is how long the component was seen not to work, at most: from the last
	// time that the old one answered to the first time that the new one did. Zero
	// means that the manifest was in place already.
	Gap time.Duration
}

const (
	pollInterval   = 100 * time.Millisecond
	defaultTimeout = 2 * time.Minute
	// undoTimeout bounds putting the old manifest back.
	undoTimeout = 30 * time.Second
)

// Replace puts a manifest in place of a component's and returns once the new
// component runs alone, is ready, has the version, leads if it has to, and is what
// the API server shows. When ctx ends either the old or the new manifest is in
// place, never a part of one, and the kubelet goes on with it. A component that
// does not come to work gives way to the old one; the error has its last words.
func Replace(ctx context.Context, on Node, client kubernetes.Interface, r Replacement) (Replaced, error) {
	old, err := Read(ctx, on, r.Component)
	if err != nil {
		return Replaced{}, err
	}
	var done Replaced
	if done.From, err = imageOf(old); err != nil {
		return Replaced{}, err
	}
	if done.To, err = imageOf(r.Manifest); err != nil {
		return Replaced{}, err
	}
	w := waiting{on: on, client: client, replacement: r, image: done.To, lastOld: time.Now()}
	if bytes.Equal(old, r.Manifest) {
		return done, w.wait(ctx)
	}
	before, err := ask(ctx, on, r.Component)
	if err != nil {
		return Replaced{}, err
	}
	w.old = before.containers
	if err := write(ctx, on, r.Component, r.Manifest); err != nil {
		return Replaced{}, err
	}
	if err := w.wait(ctx); err != nil {
		if ctx.Err() != nil {
			return Replaced{}, fmt.Errorf("%w (the new manifest of %s is in place on %s)", err, r.Component.Name, on)
		}
		return Replaced{}, errors.Join(err, putBack(ctx, on, r.Component, old))
	}
	done.Gap = w.works.Sub(w.lastOld)
	return done, nil
}

// Read returns a component's manifest.
func Read(ctx context.Context, on Node, c Component) ([]byte, error) {
	out, err := on.Run(ctx, nil, "cat", path(c))
	if err != nil {
		return nil, fmt.Errorf("read the manifest of %s on %s: %w", c.Name, on, err)
	}
	return []byte(strings.TrimRight(out, "\n") + "\n"), nil
}

func path(c Component) string { return "/etc/kubernetes/manifests/" + c.Name + ".yaml" }

// write replaces a manifest in one step. The size is checked, because the input
// ends early when this process is killed.
func write(ctx context.Context, on Node, c Component, manifest []byte) error {
	const script = `set -e; umask 077; new=/etc/kubernetes/.dratest-$$; trap 'rm -f "$new"' EXIT
cat >"$new"; [ "$(wc -c <"$new")" -eq "$2" ]; mv -T "$new" "$1"`
	if _, err := on.Run(ctx, bytes.NewReader(manifest), "sh", "-c", script, "sh", path(c), fmt.Sprint(len(manifest))); err != nil {
		return fmt.Errorf("write the manifest of %s on %s: %w", c.Name, on, err)
	}
	return nil
}

func putBack(ctx context.Context, on Node, c Component, manifest []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	if err := write(ctx, on, c, manifest); err != nil {
		return fmt.Errorf("put the old one back: %w", err)
	}
	return errors.New("the old manifest was put back")
}

// waiting is the wait for a new component.
type waiting struct {
	on          Node
	client      kubernetes.Interface
	replacement Replacement
	image       string
	old         []running // containers of the old manifest

	lastOld, works time.Time
	seen           string
}

func (w *waiting) wait(ctx context.Context) error {
	timeout := w.replacement.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	c := w.replacement.Component
	err := wait.PollUntilContextTimeout(ctx, pollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		if w.works.IsZero() && !w.worksNow(ctx) {
			return false, nil
		}
		return w.shown(ctx), nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("wait for %s on %s: %w: last seen: %s", c.Name, w.on, context.Cause(ctx), w.seen)
	default:
		return fmt.Errorf("%w: the new %s on %s did not come to work within %s: last seen: %s%s",
			clusters.ErrEnvironment, c.Name, w.on, timeout, w.seen, w.lastWords(ctx))
	}
}

// worksNow looks at the node.
func (w *waiting) worksNow(ctx context.Context) bool {
	c := w.replacement.Component
	asked := time.Now()
	a, err := ask(ctx, w.on, c)
	if err != nil {
		w.seen = err.Error()
		return false
	}
	w.seen = a.String()
	if slices.ContainsFunc(a.containers, func(r running) bool { return slices.Contains(w.old, r) }) {
		if a.works(c) {
			w.lastOld = asked
		}
		return false
	}
	if !a.works(c) || len(a.containers) != 1 || a.containers[0].image != w.image || a.version != w.replacement.Version {
		return false
	}
	for gate, on := range w.replacement.Gates {
		if has, known := a.gates[gate]; !known || has != on {
			w.seen += fmt.Sprintf("; feature gate %s is not %t", gate, on)
			return false
		}
	}
	w.works = time.Now()
	return true
}

// shown waits for the API server to know, so that whoever looks there next does
// not see the old pod.
func (w *waiting) shown(ctx context.Context) bool {
	pod, err := w.client.CoreV1().Pods(metav1.NamespaceSystem).Get(ctx, w.replacement.Component.Name+"-"+w.on.String(), metav1.GetOptions{})
	if err != nil {
		w.seen = "the API server: " + err.Error()
		return false
	}
	statuses := pod.Status.ContainerStatuses
	if pod.Spec.Containers[0].Image != w.image || len(statuses) == 0 || statuses[0].State.Running == nil {
		w.seen = "the API server shows a pod of image " + pod.Spec.Containers[0].Image
		return false
	}
	return true
}

// lastWords are the last lines that the component's newest container has logged.
func (w *waiting) lastWords(ctx context.Context) string {
	const script = `id=$(crictl ps --all --quiet --name "^$1\$" 2>/dev/null | head -n 1); [ -z "$id" ] || crictl logs --tail 5 "$id" 2>&1`
	out, err := w.on.Run(ctx, nil, "sh", "-c", script, "sh", w.replacement.Component.Name)
	if err != nil || strings.TrimSpace(out) == "" {
		return ""
	}
	return "; its log ends:\n" + strings.TrimSpace(out)
}
