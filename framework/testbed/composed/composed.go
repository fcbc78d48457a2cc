package composed

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Fabrics starts fabrics for a cluster.
type Fabrics struct {
	// Program is the path of dra-composable-controller.
	Program string
	// Kubeconfig and Context name the cluster.
	Kubeconfig, Context string
}

var _ harness.Fabrics = Fabrics{}

const (
	ours, theirs, admin = "token-of-this-cluster", "token-of-another-cluster", "token-of-the-administrator"
	elsewhere           = "another"
	// name is that of all fabrics: their controllers have different drivers.
	name = "fabric"
	// answerTime is how long a manager in this process may take to answer.
	answerTime = 10 * time.Second
)

// instance is a fabric that was started.
type instance struct {
	logs       string // the folder of the controller's log
	private    string // that of the rest, which has keys
	address    string
	config     fabric.Config
	composed   spec.ComposedFabric
	program    string
	client     *http.Client
	server     *http.Server
	controller *exec.Cmd
	ended      chan struct{} // once the controller has
	taken      int
}

// Start starts a manager and a controller, whose log is controller.log in logs. What has
// keys is in a folder for temporary files, which Stop removes; Stop has to be called, also
// after an error.
func (f Fabrics) Start(ctx context.Context, logs string, composed spec.ComposedFabric) (harness.ComposedFabric, error) {
	i := &instance{logs: logs, composed: composed, program: f.Program, address: "127.0.0.1:0", config: fabric.Config{
		Clusters:   []fabric.Client{{Name: "this", Token: ours}, {Name: elsewhere, Token: theirs}},
		AdminToken: admin,
		Models:     []fabric.ModelConfig{{Name: spec.FabricModel, Count: composed.Devices}},
	}}
	if err := composed.Validate(); err != nil {
		return i, fmt.Errorf("start a fabric: %w", err)
	}
	if f.Program == "" || f.Kubeconfig == "" {
		return i, errors.New("start a fabric: there is no dra-composable-controller, or no kubeconfig for it")
	}
	if err := i.writeFiles(f); err != nil {
		return i, fmt.Errorf("start a fabric: %w", err)
	}
	if err := i.startManager(ctx); err != nil {
		return i, err
	}
	return i, i.startController()
}

// path is that of a file of the fabric, but for the log.
func (i *instance) path(file string) string { return filepath.Join(i.private, file) }

// writeFiles writes a certificate, the token and a kubeconfig that has the one context only,
// with which the controller is the user that it is to be.
func (i *instance) writeFiles(f Fabrics) (err error) {
	if i.private, err = os.MkdirTemp("", "dratest-fabric-"); err != nil {
		return err
	}
	crt, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(crt)
	i.client = &http.Client{Timeout: answerTime, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	raw, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&clientcmd.ClientConfigLoadingRules{ExplicitPath: f.Kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: f.Context}).RawConfig()
	if err != nil {
		return err
	}
	if f.Context != "" {
		raw.CurrentContext = f.Context
	}
	used := raw.Contexts[raw.CurrentContext]
	if used == nil || raw.AuthInfos[used.AuthInfo] == nil {
		return fmt.Errorf("kubeconfig %s has no user for context %q", f.Kubeconfig, raw.CurrentContext)
	}
	raw.AuthInfos[used.AuthInfo].Impersonate = i.composed.User
	if err := clientcmdapi.MinifyConfig(&raw); err != nil {
		return err
	}
	if err := clientcmdapi.FlattenConfig(&raw); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(i.path("ca.crt"), crt, 0o600), os.WriteFile(i.path("tls.key"), key, 0o600),
		i.setToken(true), clientcmd.WriteToFile(raw, i.path("kubeconfig")))
}

// setToken gives the controller a token that the fabric knows, or one that it does not.
func (i *instance) setToken(right bool) error {
	token := ours
	if !right {
		token = "token-of-nobody"
	}
	return os.WriteFile(i.path("token"), []byte(token), 0o600)
}

// Turn starts a part that does not run, which goes on with what it has on disk, or ends
// one as SIGKILL does: the controller's process is killed, the manager's connections are
// cut.
func (i *instance) Turn(ctx context.Context, part spec.FabricPart, on bool) error {
	switch {
	case !on:
		return i.kill(part)
	case part == spec.FabricController:
		return i.startController()
	}
	return i.startManager(ctx)
}

func (i *instance) startManager(ctx context.Context) error {
	handler, err := fabric.NewServer(i.config, i.path("state.json"))
	if err != nil {
		return fmt.Errorf("start the fabric: %w", err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", i.address)
	if err != nil {
		return fmt.Errorf("start the fabric: %w", err)
	}
	i.address = listener.Addr().String() // from now on
	i.server = &http.Server{Handler: handler, ReadHeaderTimeout: answerTime}
	go func(s *http.Server) {
		_ = s.ServeTLS(listener, i.path("ca.crt"), i.path("tls.key")) // until it is closed
	}(i.server)
	return nil
}

func (i *instance) startController() error {
	log, err := os.OpenFile(filepath.Join(i.logs, "controller.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("start the controller: %w", err)
	}
	defer func() { _ = log.Close() }()
	when := "reschedule"
	if i.composed.Bind {
		when = "bind"
	}
	// It outlives the step of the case that starts it, and is ended by Kill.
	c := exec.Command(i.program, "--kubeconfig="+i.path("kubeconfig"), "--secure-port=0", "--leader-elect=false", "--v=4", //nolint:gosec,noctx // as the comment says
		"--driver-name="+i.composed.Driver, "--fabric-name="+name, "--fabric-url=https://"+i.address, "--fabric-token-file="+i.path("token"),
		"--fabric-ca-file="+i.path("ca.crt"), "--when-attached="+when, "--detach-after="+i.composed.DetachAfter.String(),
		"--refresh-period="+strconv.Itoa(refreshSeconds)+"s")
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = withParent()
	i.ended = make(chan struct{})
	started := make(chan error)
	go func(ended chan struct{}) {
		defer close(ended)
		// The process ends with the thread that has started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // says how it has ended, which is in its log
		}
	}(i.ended)
	if err := <-started; err != nil {
		return fmt.Errorf("start the controller: %w", err)
	}
	i.controller = c
	return nil
}

// refreshSeconds is the time between two looks of the controller at what is free, which
// cases wait for: shorter than the 10 s that KEP-5007 has.
const refreshSeconds = 2

func (i *instance) kill(part spec.FabricPart) error {
	switch {
	case part == spec.FabricManager && i.server != nil:
		s := i.server
		i.server = nil
		return s.Close()
	case part == spec.FabricController && i.controller != nil:
		c := i.controller
		i.controller = nil
		err := c.Process.Kill()
		<-i.ended
		return err
	}
	return nil
}

// Stop ends both, and removes all files but the log.
func (i *instance) Stop() error {
	err := errors.Join(i.kill(spec.FabricController), i.kill(spec.FabricManager))
	if i.private == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(i.private))
}

func (i *instance) as(token string) fabric.Manager {
	return fabric.Manager{Base: "https://" + i.address, Token: token, HTTP: i.client}
}

// Change changes what is not nil.
func (i *instance) Change(ctx context.Context, change spec.FabricChange) error {
	if change.Token != nil {
		if err := i.setToken(*change.Token); err != nil {
			return err
		}
	}
	if change.Attach == nil {
		return nil
	}
	all := []fabric.Rule{}
	for _, r := range *change.Attach {
		all = append(all, fabric.Rule{Operation: fabric.Attach, Times: r.Times, Takes: metav1.Duration{Duration: r.Takes}, Fail: r.Fail})
	}
	_, err := i.as(admin).SetScript(ctx, all)
	return err
}

// Devices are all devices, by their IDs.
func (i *instance) Devices(ctx context.Context) (map[string]spec.FabricDevice, error) {
	state, err := i.as(admin).State(ctx)
	if err != nil {
		return nil, err
	}
	devices := map[string]spec.FabricDevice{}
	for id, d := range state.Devices {
		devices[id] = spec.FabricDevice{ID: id, Phase: string(d.Phase), Node: d.Node, Elsewhere: d.Cluster == elsewhere}
	}
	return devices, nil
}

// Take attaches a device for another cluster, and says whether there was one.
func (i *instance) Take(ctx context.Context) (bool, error) {
	i.taken++
	_, err := i.as(theirs).Attach(ctx, fabric.AttachRequest{Key: strconv.Itoa(i.taken), Model: spec.FabricModel, Node: elsewhere})
	if errors.Is(err, fabric.ErrNoneFree) {
		return false, nil
	}
	return err == nil, err
}
