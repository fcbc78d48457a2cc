package protocol

// Version is the version of the control endpoint's paths and messages. It
// changes with every change that one side alone can not cope with.
const Version = "9"

// VersionHeader carries Version in every answer.
const VersionHeader = "Dratest-Protocol"

// Port is where the agent listens, on the loopback address of its pod.
const Port = 7471

// The paths of the control endpoint.
const (
	// Drivers/{name}: PUT starts an instance (spec.DriverConfig), PATCH changes
	// it (spec.DriverChange), GET tells its state (spec.DriverStatus), DELETE
	// ends it. Drivers answers GET with the names of the instances.
	Drivers = "/v1/drivers/"
	// EvidencePath answers GET with Evidence; "since" is an RFC 3339 time.
	EvidencePath = "/v1/evidence"
	// Restart answers POST at once, and then has the kubelet restarted.
	Restart = "/v1/kubelet/restart"
	// RestartNode answers POST at once, and then has the node restarted.
	RestartNode = "/v1/node/restart"
	// PodResources{namespace}/{pod}: GET answers with spec.PodResources.
	PodResources = "/v1/podresources/"
	// KubeletProgram: GET answers with Program.
	KubeletProgram = "/v1/kubelet/program"
	// Plugin{driver}: GET with the header Upgrade: UpgradePlugin turns the connection into
	// one to the socket of the plugin API that a driver of the node has registered last.
	// DELETE kills the process behind it.
	Plugin = "/v1/plugin/"
	// Registrations: GET answers with a list of registration.Socket, the newest first.
	Registrations = "/v1/registrations"
	// Proxies{driver}: PUT puts a proxy before a driver (spec.Proxy), in place of one that is
	// there, GET tells its state (spec.DriverStatus), DELETE takes it away.
	Proxies = "/v1/proxies/"
	// Sandbox{namespace}/{pod}: DELETE stops the sandbox of a pod.
	Sandbox = "/v1/sandbox/"
	// Checkpoint: PUT damages the file of the query's "path", DELETE undoes that.
	Checkpoint = "/v1/checkpoint"
	// KubeletCheckpoint answers DELETE at once, and then has the kubelet stopped, what it
	// remembers of claims removed, and the kubelet started.
	KubeletCheckpoint = "/v1/kubelet/checkpoint"
	// KubeletDown answers POST at once, and then has the kubelet stopped, and started again after
	// the time of the query's "for", as "15s", at most two minutes.
	KubeletDown = "/v1/kubelet/down"
	// StaticPods{name} with the query "dir", where the node's kubelet looks for them: PUT
	// writes a manifest (JSON) there, DELETE removes it.
	StaticPods = "/v1/static-pods/"
	// Specs are the CDI files of the node: GET answers with their contents by path. With
	// the path of one as the query's "path", DELETE removes it, or what PUT has put in its
	// place, and PUT keeps it from being written.
	Specs = "/v1/cdi"
	// KubeletLines: GET answers with Lines: those of the kubelet's log since "since" (an
	// RFC 3339 time) that contain "text".
	KubeletLines = "/v1/kubelet/lines"
	// CDIDevices with the query "container", an ID as in a pod's status: GET answers with a
	// list of names.
	CDIDevices = "/v1/container/cdi-devices"
	// PodMemory with the UID of a pod appended: GET answers with a number of bytes.
	PodMemory = "/v1/pod-memory/"
	// Ready answers GET once the agent takes requests.
	Ready = "/v1/ready"
)

// UpgradePlugin is the name of the protocol of an upgraded connection.
const UpgradePlugin = "dratest-plugin"

// Problem is the body of every answer that is not a success.
type Problem struct {
	Error string `json:"error"`
}

// Program is a program that runs on a node.
type Program struct {
	// Digest is of the file that the process was started from, as "sha256:0123…".
	Digest string `json:"digest"`
}

// Lines are a part of a log.
type Lines struct {
	Log []byte `json:"log"`
	// Problem says what kept the rest from being read.
	Problem string `json:"problem,omitempty"`
}

// Evidence is what was found on a node.
type Evidence struct {
	// Files are contents by name.
	Files map[string][]byte `json:"files"`
	// Missing says what could not be read, and why.
	Missing []string `json:"missing,omitempty"`
}
