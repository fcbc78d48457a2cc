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

package apitest

import (
	"fmt"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// server adds API server behavior missing in a fake clientset.
type server struct {
	tracker clienttesting.ObjectTracker
	mutex   sync.Mutex
	last    int
	history history
}

// New returns a client of an API server holding objects.
func New(objects ...runtime.Object) *fake.Clientset {
	s := &server{}
	for _, object := range objects {
		s.stamp(object)
	}
	clientset := fake.NewClientset(objects...)
	s.serve(&clientset.Fake, clientset.Tracker())
	return clientset
}

// Serve turns a fake client with a tracker into an API server, also for types outside Kubernetes,
// and stores objects. Errors come from the tracker.
func Serve(client *clienttesting.Fake, tracker clienttesting.ObjectTracker, objects ...runtime.Object) error {
	s := &server{}
	for _, object := range objects {
		s.stamp(object)
		if err := tracker.Add(object); err != nil {
			return err
		}
	}
	s.serve(client, tracker)
	return nil
}

func (s *server) serve(client *clienttesting.Fake, tracker clienttesting.ObjectTracker) {
	s.tracker = tracker
	client.PrependReactor("create", "*", s.create)
	client.PrependReactor("update", "*", s.update)
	client.PrependReactor("delete", "*", s.delete)
	client.PrependReactor("list", "*", s.list)
	client.PrependWatchReactor("*", s.watch)
}

// stamp sets the metadata every stored object has.
func (s *server) stamp(object runtime.Object) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last++
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	if accessor.GetName() == "" {
		accessor.SetName(accessor.GetGenerateName() + strconv.Itoa(s.last))
	}
	if accessor.GetUID() == "" {
		accessor.SetUID(types.UID(fmt.Sprintf("uid-%d", s.last)))
		accessor.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	}
	accessor.SetResourceVersion(strconv.Itoa(s.last))
}

func (s *server) create(action clienttesting.Action) (bool, runtime.Object, error) {
	s.stamp(action.(clienttesting.CreateAction).GetObject())
	return false, nil, nil
}

func (s *server) update(action clienttesting.Action) (bool, runtime.Object, error) {
	updated := action.(clienttesting.UpdateAction).GetObject()
	new, err := meta.Accessor(updated)
	if err != nil {
		return true, nil, err
	}
	gvr, name := action.GetResource(), new.GetName()
	stored, err := s.tracker.Get(gvr, action.GetNamespace(), name)
	if err != nil {
		return true, nil, err
	}
	old, err := meta.Accessor(stored)
	if err != nil {
		return true, nil, err
	}
	if version := new.GetResourceVersion(); version != "" && version != old.GetResourceVersion() || new.GetUID() != old.GetUID() {
		return true, nil, apierrors.NewConflict(gvr.GroupResource(), name, fmt.Errorf("it is another version"))
	}
	s.stamp(updated)
	if new.GetDeletionTimestamp() != nil && len(new.GetFinalizers()) == 0 {
		s.deleted(gvr, updated)
		return true, updated, s.tracker.Delete(gvr, action.GetNamespace(), name)
	}
	return false, nil, nil
}

func (s *server) delete(action clienttesting.Action) (bool, runtime.Object, error) {
	deletion := action.(clienttesting.DeleteActionImpl)
	gvr, name := action.GetResource(), deletion.Name
	stored, err := s.tracker.Get(gvr, action.GetNamespace(), name)
	if err != nil {
		return true, nil, err
	}
	stored = stored.DeepCopyObject()
	object, err := meta.Accessor(stored)
	if err != nil {
		return true, nil, err
	}
	if p := deletion.DeleteOptions.Preconditions; p != nil && p.UID != nil && *p.UID != object.GetUID() {
		return true, nil, apierrors.NewConflict(gvr.GroupResource(), name, fmt.Errorf("it is another object"))
	}
	if len(object.GetFinalizers()) == 0 {
		s.deleted(gvr, stored)
		return false, nil, nil
	}
	if object.GetDeletionTimestamp() == nil {
		now := metav1.Now()
		object.SetDeletionTimestamp(&now)
		s.stamp(stored)
		return true, stored, s.tracker.Update(gvr, stored, action.GetNamespace())
	}
	return true, stored, nil
}

// Fail makes the API server reject the next calls of a kind: the first call returns the first
// error, and so on. The verb of server-side apply is "patch"; a subresource is written as
// "pods/status".
func Fail(client *fake.Clientset, verb, resource string, errs ...error) {
	var mutex sync.Mutex
	client.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		mutex.Lock()
		defer mutex.Unlock()
		if len(errs) == 0 {
			return false, nil, nil
		}
		err := errs[0]
		errs = errs[1:]
		return err != nil, nil, err
	})
}
