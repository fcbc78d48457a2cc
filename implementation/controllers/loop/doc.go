// Package loop is what controllers have in common: handlers of informers put items into
// a queue, workers look at one after the other once all caches are filled, and what
// fails is tried again later. Start at Loop.
package loop
