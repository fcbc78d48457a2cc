package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// source is where objects of one kind come from.
type source struct {
	kind runtime.Object
	from cache.ListerWatcher
	last *trouble
}

// trouble is the last error of a source, nil if the last answer was good. Who
// reads from the source tries again, and says nothing about it.
type trouble struct {
	mu  sync.Mutex
	err error
}

func (l *trouble) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // the error follows from that
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *trouble) get() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// objectAPI is what the typed clients of one kind of object have in common.
type objectAPI[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// newSource has the objects that a field selector leaves; an empty one leaves all.
func newSource[L runtime.Object](client kubernetes.Interface, kind runtime.Object, api objectAPI[L], selector string) source {
	last := &trouble{}
	return source{kind, cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			list, err := api.List(ctx, options)
			last.note(ctx, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			w, err := api.Watch(ctx, options)
			last.note(ctx, err)
			return w, err
		},
	}, client), last}
}

func (t *T) onePod(name string) source {
	return newSource(t.Client, &corev1.Pod{}, t.Client.CoreV1().Pods(t.Namespace), named(name))
}

func (t *T) oneClaim(name string) source {
	return newSource(t.Client, &resourceapi.ResourceClaim{}, t.Client.ResourceV1().ResourceClaims(t.Namespace), named(name))
}

func (t *T) eventsAbout(object string) source {
	return newSource(t.Client, &corev1.Event{}, t.Client.CoreV1().Events(t.Namespace), eventsOf(object))
}

func (t *T) slicesOf(driver string) source {
	return newSource(t.Client, &resourceapi.ResourceSlice{}, t.Client.ResourceV1().ResourceSlices(), ofDriver(driver))
}

func named(name string) string {
	return fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
}

func eventsOf(object string) string {
	return fields.OneTermEqualSelector("involvedObject.name", object).String()
}

func ofDriver(driver string) string {
	return fields.OneTermEqualSelector(resourceapi.ResourceSliceSelectorDriver, driver).String()
}

// follow shows every state of the objects of a source, from those that are there
// now, to look until it returns true or an error. A lost connection is made
// again; ctx's end is reported with its cause.
func follow[O runtime.Object](ctx context.Context, s source, look func(O) (bool, error)) error {
	_, err := watchtools.UntilWithSync(ctx, s.from, s.kind, nil, func(e watch.Event) (bool, error) {
		o, ok := e.Object.(O)
		if !ok {
			return false, fmt.Errorf("expected a %T, got a %T", o, e.Object)
		}
		if e.Type == watch.Deleted {
			return false, errors.New("it was deleted")
		}
		return look(o)
	})
	return withTrouble(withCause(ctx, err), s.last.get())
}

// followAll shows the objects that a source has now, and again after each change,
// to look until it returns true.
func followAll[O runtime.Object](ctx context.Context, s source, look func([]O) bool) error {
	var store cache.Store
	check := func() bool {
		var all []O
		for _, o := range store.List() {
			all = append(all, o.(O))
		}
		return look(all)
	}
	_, err := watchtools.UntilWithSync(ctx, s.from, s.kind, func(synced cache.Store) (bool, error) {
		store = synced
		return check(), nil
	}, func(watch.Event) (bool, error) { return check(), nil })
	return withTrouble(withCause(ctx, err), s.last.get())
}

// withCause replaces the many ways to say that ctx has ended by the reason.
func withCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// withTrouble adds to why a wait ended how its last look failed, if it did.
func withTrouble(err, last error) error {
	if err == nil || last == nil || errors.Is(err, last) {
		return err
	}
	return fmt.Errorf("%w (%w)", err, last)
}
