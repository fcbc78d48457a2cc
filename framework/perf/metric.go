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

package perf

// Metric is something that is measured in a round, named as a unit of Go's benchmark
// format, so that benchstat can read it.
type Metric string

// What is measured of each round.
const (
	// PodsPerSecond is from the first request to create a pod until the last one is
	// scheduled.
	PodsPerSecond Metric = "pods/s"
	// ScheduledP50 and the others are from a pod's creation until the watch of pods shows
	// that it is scheduled, both by the clock of this program.
	ScheduledP50 Metric = "scheduled-p50-sec"
	ScheduledP90 Metric = "scheduled-p90-sec"
	ScheduledP99 Metric = "scheduled-p99-sec"
	// ClaimMadeP50 is from a pod's creation until the claim that is made for it is seen,
	// ClaimAllocatedP50 from there until it has its devices and is reserved, ClaimGoneP50
	// from the deletion of all pods until it is gone.
	ClaimMadeP50      Metric = "claim-made-p50-sec"
	ClaimAllocatedP50 Metric = "claim-allocated-p50-sec"
	ClaimGoneP50      Metric = "claim-gone-p50-sec"
	// SchedulerCPU and the others are CPU time of the component's process by pod, from
	// before the first pod until all are gone again.
	SchedulerCPU   Metric = "scheduler-cpu-sec/pod"
	ControllersCPU Metric = "controllers-cpu-sec/pod"
	APIServerCPU   Metric = "apiserver-cpu-sec/pod"
	EtcdCPU        Metric = "etcd-cpu-sec/pod"
	// Writes are requests to the API server that change something, without those of this
	// program and those for leases.
	Writes Metric = "writes/pod"
	// Requests are all requests, counted in the same way.
	Requests Metric = "requests/pod"
	// Bytes are those of requests that write, of answers to those that read, and of the events
	// that watches were sent, without leases. Those of this program are among them: they are the
	// same on all sides.
	Bytes Metric = "api-B/pod"
	// SchedulerMemory and ControllersMemory are resident memory when all pods are
	// scheduled.
	SchedulerMemory   Metric = "scheduler-rss-B"
	ControllersMemory Metric = "controllers-rss-B"
	// SchedulerHeap and ControllersHeap are what is left on the heap when garbage was
	// collected, after all pods of the last round have gone.
	SchedulerHeap   Metric = "scheduler-heap-B"
	ControllersHeap Metric = "controllers-heap-B"
	// RestartTime is from when a workload's component is killed until a pod that is created
	// once it answers again is scheduled, RestartCPU the CPU time that the new one has used
	// by then. Both are of workloads with a restart.
	RestartTime Metric = "restart-sec"
	RestartCPU  Metric = "restart-cpu-sec"
	// AddedMax is how much later than one without claims a single pod with a claim is scheduled,
	// beyond its driver's time, AddedAttempts after how many more attempts of the scheduler: the most
	// of a round each. Attempts are those of many pods.
	AddedMax      Metric = "added-max-sec"
	AddedAttempts Metric = "added-max-attempts"
	Attempts      Metric = "attempts/pod"
	// SchedulerRequests and CompanionRequests are those of the scheduler and of the program beside
	// the cluster to the API server, without watches and leases. RestRequests are those of both in a
	// minute in which nothing changes, WaitingRequests the same while a pod waits that fits no node.
	SchedulerRequests Metric = "scheduler-requests/pod"
	CompanionRequests Metric = "companion-requests/pod"
	RestRequests      Metric = "rest-requests/min"
	WaitingRequests   Metric = "waiting-requests/min"
	// StartMean and StartMax are from when a pod is bound until it runs, PrepareTime what the kubelet
	// needs to prepare a pod's claims, by its own metrics and without failed attempts, DriverCall the
	// driver's part of that. RestartTime is measured among these pods until another one runs.
	// KubeletMemory is the mean resident memory while pods start.
	StartMean     Metric = "started-mean-sec"
	StartMax      Metric = "started-max-sec"
	PrepareTime   Metric = "prepare-sec/pod"
	DriverCall    Metric = "driver-call-sec/pod"
	KubeletMemory Metric = "kubelet-rss-B"
	// WaitingClaims is how many claims are made in a second for pods that wait for their template,
	// ArrivingClaims how many pods and claims together.
	WaitingClaims  Metric = "waiting-claims/s"
	ArrivingClaims Metric = "arriving-claims/s"
	// InFlight are the most events that the scheduler's queue keeps while pods wait in PreBind, for
	// each event of that time; HeldInFlight the same while a pod is held in Filter. SchedulerGrowth
	// is by how much the scheduler's resident memory grows while pods wait.
	InFlight        Metric = "inflight/event"
	HeldInFlight    Metric = "held-inflight/event"
	SchedulerGrowth Metric = "scheduler-rss-growth-B"
	// IdleSliceWrites are writes of ResourceSlices while nothing changes, SliceWrites those for each
	// pool that has changed.
	IdleSliceWrites Metric = "idle-slice-writes"
	SliceWrites     Metric = "slice-writes/pool"
	// AttachedP50 and AttachedMax are from when a device is attached until its pod is bound.
	AttachedP50 Metric = "attached-p50-sec"
	AttachedMax Metric = "attached-max-sec"
	// CompanionMemory is the most resident memory of the program beside the cluster.
	CompanionMemory Metric = "companion-rss-max-B"
	// Others is the part of the machine's processors that went to others than the
	// control plane and this program, from 0 to 1.
	Others Metric = "others-share"
)

// Metrics are all of them, in the order of tables.
func Metrics() []Metric {
	return []Metric{
		PodsPerSecond, ScheduledP50, ScheduledP90, ScheduledP99, ClaimMadeP50, ClaimAllocatedP50, ClaimGoneP50,
		SchedulerCPU, ControllersCPU, APIServerCPU, EtcdCPU, Writes, Requests, Bytes, SchedulerMemory, ControllersMemory, SchedulerHeap, ControllersHeap,
		RestartTime, RestartCPU, AddedMax, AddedAttempts, Attempts, SchedulerRequests, CompanionRequests, RestRequests, WaitingRequests,
		StartMean, StartMax, PrepareTime, DriverCall, KubeletMemory, WaitingClaims, ArrivingClaims, InFlight, HeldInFlight, SchedulerGrowth, IdleSliceWrites, SliceWrites, AttachedP50, AttachedMax, CompanionMemory, Others,
	}
}

// byClock says whether a metric depends on what else the machine has to do.
func (m Metric) byClock() bool {
	switch m {
	case PodsPerSecond, ScheduledP50, ScheduledP90, ScheduledP99, ClaimMadeP50, ClaimAllocatedP50, ClaimGoneP50, RestartTime, RestartCPU:
		return true
	default:
		return false
	}
}
