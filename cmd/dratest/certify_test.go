package main

import (
	"testing"

	"github.com/dra-conformance/dratest/drivers/declarations"
)

func TestCertifyReadsTheDeclaredKubeletRoot(t *testing.T) {
	d := declarations.Declaration{Nodes: declarations.Nodes{KubeletRoot: "/var/lib/k0s/kubelet"}}
	if got := (certifyFlags{agentImage: "x:1"}).agents(d).Config; got.KubeletRoot != d.Nodes.KubeletRoot || got.Image != "x:1" {
		t.Errorf("agents are %+v", got)
	}
}
