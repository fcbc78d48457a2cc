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

package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/site"
)

const (
	driver = "race.dra-conformance.github.io"
	model  = "gpu"
	admin  = "admin"
	// refresh and idle are the controllers' times: as short as they may be, so that a round
	// does not wait for them.
	refresh, idle = time.Second, time.Second
)

// clusterNames are the fabric's two clients.
func clusterNames() [2]string { return [2]string{"east", "west"} }

func tokenOf(cluster string) string { return "token-of-" + cluster }

// shared is a fabric with one device, and the controllers before it.
type shared struct{ *site.Site }

// open serves a fabric that takes this long to attach its device; Close has to be called,
// also after an error.
func open(ctx context.Context, takes time.Duration) (shared, error) {
	config := fabric.Config{
		AdminToken: admin, Models: []fabric.ModelConfig{{Name: model, Count: 1}},
		Script: []fabric.Rule{{Operation: fabric.Attach, Takes: metav1.Duration{Duration: takes}}},
	}
	for _, name := range clusterNames() {
		config.Clusters = append(config.Clusters, fabric.Client{Name: name, Token: tokenOf(name)})
	}
	s, err := site.Open(ctx, config)
	return shared{s}, err
}

// control starts a cluster's controller.
func (s shared) control(program, cluster, kubeconfig string) error {
	_, err := s.Control(site.Config{
		Program: program, Client: site.Client{Kubeconfig: kubeconfig, Token: tokenOf(cluster), Driver: driver, Fabric: "fabric"},
		Bind: true, DetachAfter: idle, Refresh: refresh,
	})
	return err
}

// holder is the cluster to which the device is attached; empty if to none.
func (s shared) holder(ctx context.Context) (cluster string, err error) {
	state, err := s.As(admin).State(ctx)
	if err != nil {
		return "", err
	}
	for _, d := range state.Devices {
		if d.Phase == fabric.Attached {
			cluster = d.Cluster
		}
	}
	return cluster, nil
}
