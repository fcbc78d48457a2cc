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
	// answerTime is how long a manager in this process may take to answer.
	answerTime = 10 * time.Second
)

// Site is a fabric with the programs before it. Its methods are not for concurrent use,
// but for As and Asked.
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

// asker is who has asked the manager: the headers with the token, and with what it calls
// itself.
type asker struct{ authorization, agent string }

// Open serves a fabric at a port of its own. What has keys is in a folder for temporary
// files, which Close removes; Close has to be called, also after an error.
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

// Begin starts the manager, which goes on with what it has on disk, at the address that it
// had.
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

// End ends the manager as SIGKILL would: its connections are cut, and what it has not yet
// written it does not write any more. A manager that does not run stays as it is.
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

// noting remembers when whom has asked.
func (s *Site) noting(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[asker{r.Header.Get("Authorization"), r.UserAgent()}] = time.Now()
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	})
}

// Asked is when a program with a token, Agent or one of DriverAgent, has asked the manager
// last; zero for never.
func (s *Site) Asked(token, agent string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[asker{"Bearer " + token, agent}]
}

// As is the manager for somebody with a token.
func (s *Site) As(token string) fabric.Manager {
	return fabric.Manager{Base: "https://" + s.address, Token: token, HTTP: s.client}
}

// Close ends the manager and all programs, and removes all files but the logs that were given
// a place.
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
