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

// Metric is a measured value of a round. Its name is a unit of Go's benchmark format, for benchstat.
type Metric string

// The metrics of a round.
const (
	// PodsPerSecond is the rate from the first create request to the scheduling of the last pod.
	PodsPerSecond Metric = "pods/s"
	// ScheduledP50, ScheduledP90 and ScheduledP99 are the times from a pod's creation to the watch event
	// with its binding, by this program's clock.
	ScheduledP50 Metric = "scheduled-p50-sec"
	ScheduledP90 Metric = "scheduled-p90-sec"
	ScheduledP99 Metric = "scheduled-p99-sec"
	// ClaimMadeP50 is the time from a pod's creation to the watch event of its claim, ClaimAllocatedP50
	// from there to allocation and reservation, ClaimGoneP50 from the deletion of all pods to the claim's
	// DELETED event.
	ClaimMadeP50      Metric = "claim-made-p50-sec"
	ClaimAllocatedP50 Metric = "claim-allocated-p50-sec"
	ClaimGoneP50      Metric = "claim-gone-p50-sec"
	// SchedulerCPU, ControllersCPU, APIServerCPU and EtcdCPU are the CPU time of the process per pod, from
	// before the first pod until all are deleted.
	SchedulerCPU   Metric = "scheduler-cpu-sec/pod"
	ControllersCPU Metric = "controllers-cpu-sec/pod"
	APIServerCPU   Metric = "apiserver-cpu-sec/pod"
	EtcdCPU        Metric = "etcd-cpu-sec/pod"
	// Writes are write requests to the API server, except this program's and those for leases.
	Writes Metric = "writes/pod"
	// Requests are all requests, with the same exceptions.
	Requests Metric = "requests/pod"
	// Bytes are the bytes of write requests, read responses and watch events, except leases. This
	// program's traffic is included: it is equal on all sides.
	Bytes Metric = "api-B/pod"
	// SchedulerMemory and ControllersMemory are the resident memory with all pods scheduled.
	SchedulerMemory   Metric = "scheduler-rss-B"
	ControllersMemory Metric = "controllers-rss-B"
	// SchedulerHeap and ControllersHeap are the live heap after a garbage collection, with all pods of the
	// last round deleted.
	SchedulerHeap   Metric = "scheduler-heap-B"
	ControllersHeap Metric = "controllers-heap-B"
	// RestartTime is the time from killing the workload's component to the scheduling of a pod created
	// after recovery. RestartCPU is the CPU time of the new process until then. Both need a workload with
	// Restart.
	RestartTime Metric = "restart-sec"
	RestartCPU  Metric = "restart-cpu-sec"
	// AddedMax is the maximum added scheduling latency of a single pod with a claim compared to one
	// without, excluding the driver's time. AddedAttempts is the maximum number of added scheduling
	// attempts. Attempts is the number for many pods.
	AddedMax      Metric = "added-max-sec"
	AddedAttempts Metric = "added-max-attempts"
	Attempts      Metric = "attempts/pod"
	// SchedulerRequests and CompanionRequests are requests to the API server by the scheduler and by the
	// companion program, except watches and leases. RestRequests are those of both in an idle minute,
	// WaitingRequests in a minute with an unschedulable pod.
	SchedulerRequests Metric = "scheduler-requests/pod"
	CompanionRequests Metric = "companion-requests/pod"
	RestRequests      Metric = "rest-requests/min"
	WaitingRequests   Metric = "waiting-requests/min"
	// StartMean and StartMax are the times from binding to Running. PrepareTime is the kubelet's time for
	// preparing a pod's claims by its own metrics, without failed attempts; DriverCall is the driver's
	// part. RestartTime ends when a pod created after the restart is Running. KubeletMemory is the mean
	// resident memory during pod starts.
	StartMean     Metric = "started-mean-sec"
	StartMax      Metric = "started-max-sec"
	PrepareTime   Metric = "prepare-sec/pod"
	DriverCall    Metric = "driver-call-sec/pod"
	KubeletMemory Metric = "kubelet-rss-B"
	// WaitingClaims is the rate of claims created per second for pods waiting for their template,
	// ArrivingClaims the rate of pods created together with their claims.
	WaitingClaims  Metric = "waiting-claims/s"
	ArrivingClaims Metric = "arriving-claims/s"
	// InFlight is the maximum number of events in the scheduler's queue while pods wait in PreBind, per
	// event; HeldInFlight the same while a pod is held in Filter. SchedulerGrowth is the growth of the
	// scheduler's resident memory while pods wait.
	InFlight        Metric = "inflight/event"
	HeldInFlight    Metric = "held-inflight/event"
	SchedulerGrowth Metric = "scheduler-rss-growth-B"
	// IdleSliceWrites are ResourceSlice writes without changes, SliceWrites those per changed pool.
	IdleSliceWrites Metric = "idle-slice-writes"
	SliceWrites     Metric = "slice-writes/pool"
	// AttachedP50 and AttachedMax are the times from attaching a device to binding its pod.
	AttachedP50 Metric = "attached-p50-sec"
	AttachedMax Metric = "attached-max-sec"
	// CompanionMemory is the maximum resident memory of the companion program, without the pages of its file.
	CompanionMemory Metric = "companion-rss-max-B"
	// Others is the share of the machine's processors, from 0 to 1, used by processes other than the
	// control plane and this program.
	Others Metric = "others-share"
)

// Metrics returns all metrics in the order of tables.
func Metrics() []Metric {
	return []Metric{
		PodsPerSecond, ScheduledP50, ScheduledP90, ScheduledP99, ClaimMadeP50, ClaimAllocatedP50, ClaimGoneP50,
		SchedulerCPU, ControllersCPU, APIServerCPU, EtcdCPU, Writes, Requests, Bytes, SchedulerMemory, ControllersMemory, SchedulerHeap, ControllersHeap,
		RestartTime, RestartCPU, AddedMax, AddedAttempts, Attempts, SchedulerRequests, CompanionRequests, RestRequests, WaitingRequests,
		StartMean, StartMax, PrepareTime, DriverCall, KubeletMemory, WaitingClaims, ArrivingClaims, InFlight, HeldInFlight, SchedulerGrowth, IdleSliceWrites, SliceWrites, AttachedP50, AttachedMax, CompanionMemory, Others,
	}
}

// byClock reports whether a metric depends on other load of the machine.
func (m Metric) byClock() bool {
	switch m {
	case PodsPerSecond, ScheduledP50, ScheduledP90, ScheduledP99, ClaimMadeP50, ClaimAllocatedP50, ClaimGoneP50, RestartTime, RestartCPU:
		return true
	default:
		return false
	}
}
