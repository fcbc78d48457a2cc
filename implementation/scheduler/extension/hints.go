package extension

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// Objects converts what a queueing hint gets. A nil object stays nil; final is false if the
// last state of a deleted object is not known.
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
