package sampledriver

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
)

// Keys of a ConfigMap that are for the driver: how many pods may use the claim, -1 for any
// number; whether the claim is allocated without a device when none is free; how long
// allocating it takes beyond Config.Takes; and how many calls to allocate it fail before one
// works, of each process of the driver.
const (
	userLimitKey = "userLimit"
	optionalKey  = "optional"
	takesKey     = "allocateTakes"
	failKey      = "failAllocate"
)

// parameters are those of a claim and its class.
type parameters struct {
	// userLimit is 0 if nobody says.
	userLimit int32
	optional  bool
	takes     time.Duration
	fail      int
	// Environment is what containers are to see: admin_ and user_ tell whose it is.
	Environment map[string]string
}

// Parameters implements controller.Driver: class and claim may name a ConfigMap each. The
// user limit of the class is the default of its claims, and so is that they are optional.
func (d *Driver) Parameters(ctx context.Context, claim *controller.Claim) (any, error) {
	p := parameters{Environment: make(map[string]string)}
	if ref := claim.Class.ParametersRef; ref != nil {
		if err := d.read(ctx, &p, "admin_", ref.APIGroup, ref.Kind, ref.Namespace, ref.Name); err != nil {
			return nil, err
		}
	}
	if ref := claim.Config.ParametersRef; ref != nil {
		if err := d.read(ctx, &p, "user_", ref.APIGroup, ref.Kind, claim.Claim.Namespace, ref.Name); err != nil {
			return nil, err
		}
	}
	if d.simulated {
		p.takes, p.fail = 0, 0
	}
	return p, nil
}

func (d *Driver) read(ctx context.Context, p *parameters, prefix, group, kind, namespace, name string) error {
	if group != "" || kind != "ConfigMap" {
		return fmt.Errorf("parameters are in a ConfigMap, not in a %s of group %q", kind, group)
	}
	found, err := d.kube.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	for key, value := range found.Data {
		switch key {
		case userLimitKey:
			limit, err := strconv.ParseInt(value, 10, 32)
			if err != nil || limit != -1 && limit < 1 {
				return fmt.Errorf("configmap %s: %s must be positive, or -1 for no limit, got %q", name, userLimitKey, value)
			}
			p.userLimit = int32(limit)
		case optionalKey:
			if p.optional, err = strconv.ParseBool(value); err != nil {
				return fmt.Errorf("configmap %s: %s must be true or false, got %q", name, optionalKey, value)
			}
		case takesKey:
			if p.takes, err = time.ParseDuration(value); err != nil || p.takes < 0 {
				return fmt.Errorf("configmap %s: %s must be a time as in 2s, got %q", name, takesKey, value)
			}
		case failKey:
			if p.fail, err = strconv.Atoi(value); err != nil || p.fail < 0 {
				return fmt.Errorf("configmap %s: %s must be a number that is not negative, got %q", name, failKey, value)
			}
		default:
			p.Environment[prefix+key] = value
		}
	}
	return nil
}

// handle is what a driver's part on the node would read: the device, empty for none, and the
// environment. It is all that is needed of the parameters once a claim is allocated.
func (p parameters) handle(device string) string {
	// Text can always be encoded.
	data, _ := json.Marshal(struct {
		Device      string            `json:"device,omitempty"`
		Environment map[string]string `json:"environment,omitempty"`
	}{device, p.Environment})
	return string(data)
}
