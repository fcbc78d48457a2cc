// Package loop is shared by controllers: informer handlers add items to a queue, workers process
// them once all caches are synced, and failures are retried with backoff. Start at Loop.
package loop
