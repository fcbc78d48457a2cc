// Package composed runs fabrics of devices for cases on the machine that dratest runs on:
// a manager in this process, and a controller, a process of its own that reaches the
// cluster as dratest does. Start at Fabrics.
package composed
