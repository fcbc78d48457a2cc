package site

import "time"

// Config says what a controller of a cluster is started with.
type Config struct {
	// Program is the path of dra-composable-controller.
	Program string
	Client
	// Bind has pods bound with their slots; otherwise they are scheduled anew.
	Bind bool
	// DetachAfter is for how long devices are idle that are detached, Refresh the time
	// between two looks at what is free.
	DetachAfter, Refresh time.Duration
}

// Agent is what the controller calls itself to the manager.
const Agent = "dra-composable-controller"

// Control starts a controller, which Close ends.
func (s *Site) Control(config Config) (*Program, error) {
	when := "reschedule"
	if config.Bind {
		when = "bind"
	}
	return s.start("controller", config.Program, config.Client, func(string) ([]string, error) {
		return []string{"--secure-port=0", "--leader-elect=false", "--v=4", "--driver-name=" + config.Driver, "--when-attached=" + when,
			"--detach-after=" + config.DetachAfter.String(), "--refresh-period=" + config.Refresh.String()}, nil
	})
}
