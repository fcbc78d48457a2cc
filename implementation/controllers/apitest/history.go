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

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// history adds to client-go's tracker: a watch starting at a list's resource version gets all
// deletions since then. Without it, an informer keeps an object forever if the object is deleted
// between its list and its watch. The fake client's lock protects it.
type history struct {
	deletions []deletion
	// lists are all lists so far, indexed by resource version.
	lists []moment
}

type deletion struct {
	resource        schema.GroupVersionResource
	namespace, name string
	object          runtime.Object
}

// moment is the time of a list.
type moment struct {
	version   string // of the tracker
	deletions int
}

func (s *server) deleted(resource schema.GroupVersionResource, object runtime.Object) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	s.history.deletions = append(s.history.deletions, deletion{resource, accessor.GetNamespace(), accessor.GetName(), object})
}

func (s *server) list(action clienttesting.Action) (bool, runtime.Object, error) {
	list, ok := action.(clienttesting.ListActionImpl)
	if !ok {
		return false, nil, nil
	}
	objects, err := s.tracker.List(list.GetResource(), list.GetKind(), list.GetNamespace(), list.ListOptions)
	if err != nil {
		return true, nil, err
	}
	accessor, err := meta.ListAccessor(objects)
	if err != nil {
		return true, nil, err
	}
	s.history.lists = append(s.history.lists, moment{accessor.GetResourceVersion(), len(s.history.deletions)})
	accessor.SetResourceVersion(strconv.Itoa(len(s.history.lists)))
	return true, objects, nil
}

func (s *server) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	var options metav1.ListOptions
	if watch, ok := action.(clienttesting.WatchActionImpl); ok {
		options = watch.ListOptions
	}
	resource, namespace := action.GetResource(), action.GetNamespace()
	var missed []deletion
	if options.ResourceVersion != "" {
		number, err := strconv.Atoi(options.ResourceVersion)
		if err != nil || number < 1 || number > len(s.history.lists) {
			return true, nil, fmt.Errorf("watch %s: expected the resource version of a list, got %q", resource.Resource, options.ResourceVersion)
		}
		since := s.history.lists[number-1]
		options.ResourceVersion, missed = since.version, s.history.deletions[since.deletions:]
	}
	started, err := s.tracker.Watch(resource, namespace, options)
	if err != nil {
		return true, nil, err
	}
	for _, d := range missed {
		if d.resource != resource || namespace != "" && d.namespace != namespace {
			continue
		}
		// Recreated objects are among the events already.
		if _, err := s.tracker.Get(resource, d.namespace, d.name); apierrors.IsNotFound(err) {
			started.(*watch.RaceFreeFakeWatcher).Delete(d.object.DeepCopyObject())
		}
	}
	return true, started, nil
}
