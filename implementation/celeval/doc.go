// Package celeval is the only place with CEL: it compiles a selector once and
// evaluates it once for each device content. Start at Cache.
package celeval
