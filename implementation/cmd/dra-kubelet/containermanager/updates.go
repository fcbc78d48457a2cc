package containermanager

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm/resourceupdates"
)

// fanIn returns a channel with the updates of both, which stays open. It ends with ctx.
func fanIn(ctx context.Context, claims <-chan []types.UID, others <-chan resourceupdates.Update) <-chan resourceupdates.Update {
	all := make(chan resourceupdates.Update)
	go func() {
		for {
			var update resourceupdates.Update
			var open bool
			select {
			case <-ctx.Done():
				return
			case pods := <-claims:
				update = podsUpdate(pods)
			case update, open = <-others:
				if !open {
					others = nil
					continue
				}
			}
			select {
			case <-ctx.Done():
				return
			case all <- update:
			}
		}
	}()
	return all
}

func podsUpdate(pods []types.UID) resourceupdates.Update {
	update := resourceupdates.Update{PodUIDs: make([]string, 0, len(pods))}
	for _, uid := range pods {
		update.PodUIDs = append(update.PodUIDs, string(uid))
	}
	return update
}
