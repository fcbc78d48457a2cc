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

package site

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/util/cert"

	"github.com/dra-conformance/dratest/drivers/fabric"
)

const (
	host = "127.0.0.1"
	// answerTime bounds a response of a manager in this process.
	answerTime = 10 * time.Second
)

// Site is a fabric with its programs. Its methods are not safe for concurrent use, except As and Asked.
type Site struct {
	dir      string // has keys
	config   fabric.Config
	address  string
	client   *http.Client
	manager  *fabric.Server
	server   *http.Server
	programs []*Program

	mu    sync.Mutex
	asked map[asker]time.Time
}

// asker identifies a client of the manager: the headers with its token and user agent.
type asker struct{ authorization, agent string }

// Open serves a fabric at a port of its own. Files with keys are in a temporary directory; call Close to remove them,
// even after an error.
func Open(ctx context.Context, config fabric.Config) (*Site, error) {
	s := &Site{config: config, address: net.JoinHostPort(host, "0"), asked: map[asker]time.Time{}}
	if err := s.writeKeys(); err != nil {
		return s, fmt.Errorf("start the fabric: %w", err)
	}
	return s, s.Begin(ctx)
}

func (s *Site) writeKeys() (err error) {
	if s.dir, err = os.MkdirTemp("", "dratest-fabric-"); err != nil {
		return err
	}
	crt, key, err := cert.GenerateSelfSignedCertKey(host, []net.IP{net.ParseIP(host)}, nil)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(crt)
	s.client = &http.Client{Timeout: answerTime, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	return errors.Join(os.WriteFile(s.path("ca.crt"), crt, 0o600), os.WriteFile(s.path("tls.key"), key, 0o600))
}

func (s *Site) path(file string) string { return filepath.Join(s.dir, file) }

// Begin starts the manager with its state on disk, at its previous address.
func (s *Site) Begin(ctx context.Context) error {
	manager, err := fabric.NewServer(s.config, s.path("state.json"))
	if err != nil {
		return fmt.Errorf("start the fabric: %w", err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("start the fabric: %w", err)
	}
	if address := listener.Addr().String(); s.address != address { // the first time; later As may be reading it
		s.address = address
	}
	s.manager = manager
	s.server = &http.Server{Handler: s.noting(manager), ReadHeaderTimeout: answerTime}
	go func(server *http.Server) {
		_ = server.ServeTLS(listener, s.path("ca.crt"), s.path("tls.key")) // until it is closed
	}(s.server)
	return nil
}

// End stops the manager as with SIGKILL: its connections are cut and pending writes are dropped. A stopped manager is
// no error.
func (s *Site) End() error {
	if s.server == nil {
		return nil
	}
	server := s.server
	s.server = nil
	err := server.Close()
	s.manager.Close()
	return err
}

// noting records the time of each client's last request.
func (s *Site) noting(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[asker{r.Header.Get("Authorization"), r.UserAgent()}] = time.Now()
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	})
}

// Asked is the time of the last request to the manager with a token and user agent (Agent or one of DriverAgent);
// zero for never.
func (s *Site) Asked(token, agent string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[asker{"Bearer " + token, agent}]
}

// As is the manager for somebody with a token.
func (s *Site) As(token string) fabric.Manager {
	return fabric.Manager{Base: "https://" + s.address, Token: token, HTTP: s.client}
}

// Close stops the manager and all programs, and removes all files except logs at given paths.
func (s *Site) Close() error {
	var errs []error
	for _, p := range s.programs {
		errs = append(errs, p.End())
	}
	errs = append(errs, s.End())
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}
