package companions_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/dra-conformance/dratest/framework/companions"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Another process gets the clients that were found, and cases tell them apart by name.
func TestCompanionsAreHandedOn(t *testing.T) {
	clients := map[spec.Companion]any{
		spec.FabricCompanion:  fabric.Fabrics{Program: "p", Kubeconfig: "k", Context: "c"},
		spec.WhatIfCompanion:  companions.Command{Program: "p", Kubeconfig: "k"},
		spec.ClassicCompanion: classic.Programs{Scheduler: "s", Driver: "d", Config: []byte("c"), Kubeconfig: "k"},
	}
	for _, c := range companions.All() {
		want, there := clients[c.Name]
		delete(clients, c.Name)
		data, err := json.Marshal(want)
		if err != nil || !there {
			t.Fatalf("companion %s is there twice, or has no client here: %v", c.Name, err)
		}
		got, err := c.Decode(data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("companion %s: got %+v, %v", c.Name, got, err)
		}
		if c.Skip == "" || c.NoKubeconfig == "" || c.NoProgram == "" || c.Find == nil {
			t.Errorf("companion %s lacks something: %+v", c.Name, c)
		}
	}
	if len(clients) > 0 {
		t.Errorf("not companions: %v", clients)
	}
}
