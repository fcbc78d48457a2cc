// Package outage measures for how long nothing can be allocated from drivers, because a
// kubelet that started has removed their ResourceSlices. Start runs drivers of both kinds
// for it, Watch looks at any. Start at Meter.
package outage
