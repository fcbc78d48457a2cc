package site

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dra-conformance/dratest/framework/testbed/beside"
)

// Config says what a controller of a cluster is started with.
type Config struct {
	// Program is the path of dra-composable-controller.
	Program string
	// Kubeconfig and Context name the cluster. An empty Context is the current one.
	Kubeconfig, Context string
	// User is who the controller is for the cluster, as "system:serviceaccount:namespace:name";
	// empty for the kubeconfig's user.
	User string
	// Token is that of the cluster in the fabric's configuration.
	Token string
	// Log is the path of the file to which its log is added; empty for one that goes with
	// the site.
	Log string
	// Driver and Fabric are the names of the driver and of the fabric.
	Driver, Fabric string
	// Bind has pods bound with their slots; otherwise they are scheduled anew.
	Bind bool
	// DetachAfter is for how long devices are idle that are detached, Refresh the time
	// between two looks at what is free.
	DetachAfter, Refresh time.Duration
}

// Controller is a controller of a cluster, which may run or not.
type Controller struct {
	config  Config
	site    *Site
	dir     string
	running *beside.Process
}

// Control starts a controller, which Close ends. It is the user that it is to be by a
// kubeconfig of its own, which has that context only.
func (s *Site) Control(config Config) (*Controller, error) {
	c := &Controller{config: config, site: s, dir: s.path("controller-" + strconv.Itoa(len(s.controllers)))}
	if c.config.Log == "" {
		c.config.Log = c.path("controller.log")
	}
	err := os.Mkdir(c.dir, 0o700)
	if err == nil {
		err = errors.Join(beside.WriteKubeconfig(c.path("kubeconfig"), config.Kubeconfig, config.Context, config.User), c.SetToken(config.Token))
	}
	if err != nil {
		return nil, fmt.Errorf("start the controller: %w", err)
	}
	s.controllers = append(s.controllers, c)
	return c, c.Begin()
}

func (c *Controller) path(file string) string { return filepath.Join(c.dir, file) }

// SetToken replaces what the controller shows to the fabric, also while it runs.
func (c *Controller) SetToken(token string) error {
	return os.WriteFile(c.path("token"), []byte(token), 0o600)
}

// Begin starts the process, which must not run.
func (c *Controller) Begin() (err error) {
	when := "reschedule"
	if c.config.Bind {
		when = "bind"
	}
	c.running, err = beside.Start(c.config.Program, c.config.Log, "--kubeconfig="+c.path("kubeconfig"), "--secure-port=0", "--leader-elect=false", "--v=4",
		"--driver-name="+c.config.Driver, "--fabric-name="+c.config.Fabric, "--fabric-url="+c.site.As("").Base,
		"--fabric-token-file="+c.path("token"), "--fabric-ca-file="+c.site.path("ca.crt"), "--when-attached="+when,
		"--detach-after="+c.config.DetachAfter.String(), "--refresh-period="+c.config.Refresh.String())
	if err != nil {
		return fmt.Errorf("start the controller: %w", err)
	}
	return nil
}

// End kills the process and waits until it is gone. One that does not run stays as it is;
// one that has ended by itself is an error, with what is wrong in its log.
func (c *Controller) End() error {
	if c.running == nil {
		return nil
	}
	process := c.running
	c.running = nil
	return process.Kill()
}

// ID is the process's, 0 if it does not run.
func (c *Controller) ID() int {
	if c.running == nil {
		return 0
	}
	return c.running.ID()
}
