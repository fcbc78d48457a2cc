package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// maxLog bounds the log of one component.
const maxLog = 4 << 20

// gather writes everything that may explain a failure into the case's folder,
// before anything is cleaned up. What cannot be read is named in missing.txt.
func (t *T) gather(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, gatherTimeout, fmt.Errorf("gathering took longer than %s", gatherTimeout))
	defer cancel()
	t.markFailed()
	t.folder = folderOf(t.meta.ID)
	w := &evidence{dir: filepath.Join(t.env.ReportDir, t.folder)}
	// The case's own failure matters, whatever happens here.
	defer func() {
		if p := recover(); p != nil {
			w.problem("everything after this", fmt.Errorf("panic: %v", p))
		}
		w.close()
	}()
	w.file("steps.txt", t.stepsText())
	if t.Client != nil && t.Namespace != "" {
		t.gatherObjects(ctx, w)
		t.gatherPodLogs(ctx, w)
		t.gatherEvents(ctx, w)
		t.gatherComponents(ctx, w)
	}
	t.gatherNodes(ctx, w)
}

// gatherNodes asks the driver's instances what they were called for, and the
// nodes for their logs and files.
func (t *T) gatherNodes(ctx context.Context, w *evidence) {
	for _, node := range t.Nodes {
		if t.Driver != nil {
			status, err := t.env.Drivers.Status(ctx, node, t.Driver.Name)
			w.problem("driver on "+node, err)
			content, err := json.MarshalIndent(status, "", "  ")
			w.problem("driver on "+node, err)
			w.file(filepath.Join("driver", node+".json"), content)
		}
		files, err := t.env.Nodes.Evidence(ctx, node, t.started)
		w.problem("node "+node, err)
		for name, content := range files {
			w.file(filepath.Join("nodes", node, name), content)
		}
	}
}

func (t *T) stepsText() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s\n\n", t.meta.ID, t.meta.Checks)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, s := range t.steps {
		b.WriteString(s.since(t.started) + "\n")
	}
	return b.Bytes()
}

func (t *T) gatherObjects(ctx context.Context, w *evidence) {
	all := metav1.ListOptions{}
	list := func(name string, objects runtime.Object, err error) {
		w.problem(name, err)
		if err == nil {
			w.object(filepath.Join("objects", name+".yaml"), objects)
		}
	}
	pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, all)
	list("pods", pods, err)
	claims, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(ctx, all)
	list("resourceclaims", claims, err)
	templates, err := t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace).List(ctx, all)
	list("resourceclaimtemplates", templates, err)
	for _, o := range t.created {
		if clusterScoped(o) {
			err := t.objects.Get(ctx, o.GetName(), "", o)
			list(strings.ReplaceAll(describe(o), " ", "."), o, err)
		}
	}
	if t.Driver != nil {
		published, err := t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: ofDriver(t.Driver.Name)})
		list("resourceslices", published, err)
	}
}

func (t *T) gatherPodLogs(ctx context.Context, w *evidence) {
	pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
	w.problem("pod logs", err)
	if err != nil {
		return
	}
	for _, p := range pods.Items {
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			log, err := t.Client.CoreV1().Pods(p.Namespace).GetLogs(p.Name, &corev1.PodLogOptions{Container: c.Name}).DoRaw(ctx)
			w.problem(fmt.Sprintf("log of container %s in pod %s", c.Name, p.Name), err)
			if err == nil {
				w.file(filepath.Join("pods", p.Name+"."+c.Name+".log"), log)
			}
		}
	}
}

func (t *T) gatherEvents(ctx context.Context, w *evidence) {
	events, err := t.Client.CoreV1().Events(t.Namespace).List(ctx, metav1.ListOptions{})
	w.problem("events", err)
	if err != nil {
		return
	}
	var b bytes.Buffer
	for _, e := range inOrder(events.Items) {
		fmt.Fprintf(&b, "%s %s/%s %s\n", happened(e).UTC().Format(time.RFC3339Nano),
			strings.ToLower(e.InvolvedObject.Kind), e.InvolvedObject.Name, describeEvent(e))
	}
	w.file("events.txt", b.Bytes())
}

// gatherComponents reads the logs of the control plane's pods since the case
// started.
func (t *T) gatherComponents(ctx context.Context, w *evidence) {
	since := metav1.NewTime(t.started)
	for _, component := range []string{"kube-scheduler", "kube-controller-manager"} {
		pods, err := t.Client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=" + component})
		w.problem(component, err)
		if err != nil {
			continue
		}
		if len(pods.Items) == 0 {
			w.problem(component, errors.New("runs in no pod that can be seen"))
		}
		for _, p := range pods.Items {
			stream, err := t.Client.CoreV1().Pods(p.Namespace).GetLogs(p.Name, &corev1.PodLogOptions{SinceTime: &since}).Stream(ctx)
			w.problem(component, err)
			if err != nil {
				continue
			}
			log, err := io.ReadAll(io.LimitReader(stream, maxLog))
			_ = stream.Close() // has been read
			w.problem(component, err)
			w.file(p.Name+".log", log)
		}
	}
}

// evidence writes files and remembers what went wrong.
type evidence struct {
	dir     string
	missing []string
}

func (e *evidence) problem(what string, err error) {
	if err != nil {
		e.missing = append(e.missing, fmt.Sprintf("%s: %v", what, err))
	}
}

func (e *evidence) file(name string, content []byte) {
	path := filepath.Join(e.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, content, 0o644)
	}
	e.problem(name, err)
}

func (e *evidence) object(name string, o runtime.Object) {
	// Lists and objects come without their kind from typed clients.
	if kinds, _, err := scheme.Scheme.ObjectKinds(o); err == nil && len(kinds) > 0 {
		o.GetObjectKind().SetGroupVersionKind(kinds[0])
	}
	content, err := yaml.Marshal(o)
	e.problem(name, err)
	e.file(name, content)
}

func (e *evidence) close() {
	if len(e.missing) > 0 {
		e.file("missing.txt", []byte(strings.Join(e.missing, "\n")+"\n"))
	}
}

// relative is file:line below the module's root.
func relative(file string, line int) string {
	for _, root := range []string{"/suites/", "/framework/"} {
		if i := strings.LastIndex(file, root); i >= 0 {
			file = file[i+1:]
		}
	}
	if file == "" {
		return ""
	}
	return file + ":" + strconv.Itoa(line)
}
