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

// Command dra-fabric simulates a composable fabric: devices shared by several clusters and attached to
// nodes over an HTTP API.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/util/cert"

	"github.com/dra-conformance/dratest/drivers/fabric"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "dra-fabric: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	config, dir, listen string
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "dra-fabric",
		Short: "Simulate devices that several clusters share and that are attached to nodes over an HTTP API",
		Long: `Simulate devices that several clusters share and that are attached to nodes over an
HTTP API with TLS, until SIGTERM. Its state is in --dir, and goes on there.

The configuration says who may use the fabric and what it has:

  clusters:                     # its clients, by their bearer tokens
  - {name: east, token: secret-of-east}
  - {name: west, token: secret-of-west}
  adminToken: secret-of-admin
  models:                       # devices a100-0 to a100-3
  - {name: a100, count: 4, attributes: {vendor: example}}
  script:                       # what becomes of requests; without it all is done at once
  - {operation: Attach, takes: 2s}

With curl --cacert DIR/ca.crt -H "Authorization: Bearer TOKEN":

  GET  /v1/inventory            what is free, and what the own cluster has
  POST /v1/attach               {"key": "…", "model": "a100", "node": "worker"}
  POST /v1/detach               {"device": "a100-0", "key": "…"}
  GET  /v1/tasks/ID             how far that is
  PUT  /v1/admin/script         [{"operation": "Attach", "times": 1, "fail": "cable"}]
  POST /v1/admin/devices        {"model": "a100", "devices": ["a100-9"]}
  POST /v1/admin/devices/ID/kill · DELETE /v1/admin/devices/ID · GET /v1/admin/state`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.serve(cmd) },
	}
	cmd.Flags().StringVar(&o.config, "config", "fabric.yaml", "file with the configuration")
	cmd.Flags().StringVar(&o.dir, "dir", "fabric", "directory for state and certificate")
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:8443", "address to serve on")
	return cmd
}

// stopTime is the shutdown deadline for running requests.
const stopTime = 5 * time.Second

func (o options) serve(cmd *cobra.Command) error {
	data, err := os.ReadFile(o.config)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	config, err := fabric.ParseConfig(data)
	if err != nil {
		return fmt.Errorf("%s: %w", o.config, err)
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return fmt.Errorf("make directory for state: %w", err)
	}
	handler, err := fabric.NewServer(config, filepath.Join(o.dir, "state.json"))
	if err != nil {
		return err
	}
	crt, key, err := o.certificate()
	if err != nil {
		return err
	}
	server := &http.Server{Addr: o.listen, Handler: handler, ReadHeaderTimeout: stopTime}
	stopped := context.AfterFunc(cmd.Context(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		_ = server.Shutdown(ctx) // cut off requests still running
	})
	defer stopped()
	fmt.Fprintf(cmd.OutOrStdout(), "serving https://%s for %d cluster(s); trust %s\n", o.listen, len(config.Clusters), crt)
	if err := server.ListenAndServeTLS(crt, key); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// certificate creates a certificate for the address unless one exists.
func (o options) certificate() (crt, key string, err error) {
	crt, key = filepath.Join(o.dir, "ca.crt"), filepath.Join(o.dir, "tls.key")
	if _, err := os.Stat(crt); err == nil {
		return crt, key, nil
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return "", "", fmt.Errorf("listen: %w", err)
	}
	certificate, private, err := cert.GenerateSelfSignedCertKey(host, []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"localhost"})
	if err != nil {
		return "", "", fmt.Errorf("make a certificate: %w", err)
	}
	return crt, key, errors.Join(cert.WriteCert(crt, certificate), os.WriteFile(key, private, 0o600))
}
