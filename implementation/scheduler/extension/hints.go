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

package extension

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// Objects converts the arguments of a queueing hint. A nil object stays nil. final is false if the
// last state of a deleted object is unknown.
func Objects[T any](oldObj, newObj any) (before, after *T, final bool, err error) {
	final = true
	if tombstone, ok := oldObj.(cache.DeletedFinalStateUnknown); ok {
		oldObj, final = tombstone.Obj, false
	}
	var ok bool
	if oldObj != nil {
		if before, ok = oldObj.(*T); !ok {
			return nil, nil, false, fmt.Errorf("unexpected object %T", oldObj)
		}
	}
	if newObj != nil {
		if after, ok = newObj.(*T); !ok {
			return nil, nil, false, fmt.Errorf("unexpected object %T", newObj)
		}
	}
	return before, after, final, nil
}
