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

package kind

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onNode runs the keeper with fake node programs; each round sees the next list of nodes, as "NAME ADDRESS" lines. It
// returns the keeper's actions.
func onNode(t *testing.T, masquerades bool, mode string, rounds ...string) (did []string, output string, err error) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i, nodes := range rounds {
		write("nodes."+strings.Repeat("x", i), nodes)
	}
	write("round", "")
	// Like glibc's, it prints a line per socket type and fails for an unknown name.
	write("getent", `#!/bin/sh
address=$(sed -n "s/^$2 //p" "$DIR/nodes.$(cat "$DIR/round")")
[ -n "$address" ] || exit 2
printf '%s STREAM %s\n%s DGRAM\n' "$address" "$2" "$address"
`)
	write("ip", `#!/bin/sh
[ "$*" = "-force -batch -" ] && sed 's/^/ip /' >> "$DIR/did"
`)
	write("iptables", `#!/bin/sh
echo "iptables $*" | sed 's/ -C .*/ -C/' >> "$DIR/did"
case "$*" in *" -C "*) exit `+map[bool]string{true: "0", false: "1"}[masquerades]+`;; esac
`)
	write("sleep", `#!/bin/sh
printf x >> "$DIR/round"
[ -e "$DIR/nodes.$(cat "$DIR/round")" ] || kill $PPID
`)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", keeper, "keeper", mode, "10.244.0.0/16", "x=10.244.0.0/24", "x-worker=10.244.1.0/24")
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "DIR=" + dir}
	said, err := cmd.CombinedOutput()
	text, readErr := os.ReadFile(filepath.Join(dir, "did"))
	if readErr != nil {
		t.Fatalf("%v; the keeper said %q", readErr, said)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), string(said), err
}

const both = "x 172.18.0.2\nx-worker 172.18.0.3\n"

func TestKeeperFollowsAddresses(t *testing.T) {
	did, said, _ := onNode(t, false, "keep",
		both,
		both,                                  // nothing to do
		"x 172.18.0.2\n",                      // the worker is away: its route stays
		"x-worker 172.18.0.2\nx 172.18.0.3\n", // both are back, each with the other's address
	)
	want := []string{
		"iptables -w -t nat -C",
		"iptables -w -t nat -A POSTROUTING -s 10.244.0.0/16 ! -d 10.244.0.0/16 -j MASQUERADE",
		"ip route replace 10.244.0.0/24 via 172.18.0.2",
		"ip route replace 10.244.1.0/24 via 172.18.0.3",
		"ip route replace 10.244.0.0/24 via 172.18.0.2",
		"ip route replace 10.244.0.0/24 via 172.18.0.3",
		"ip route replace 10.244.1.0/24 via 172.18.0.2",
	}
	if d := cmp.Diff(want, did); d != "" {
		t.Errorf("%s\nit said %q", d, said)
	}
}

func TestKeeperMasqueradesOnce(t *testing.T) {
	did, said, err := onNode(t, true, "once", both)
	if err != nil || len(did) != 3 || did[0] != "iptables -w -t nat -C" {
		t.Errorf("%v: %q; it said %q", err, did, said)
	}
}

func TestFirstRoundNeedsAllNodes(t *testing.T) {
	_, said, err := onNode(t, false, "once", "x 172.18.0.2\n")
	if err == nil || !strings.Contains(said, "no address yet: x=10.244.0.0/24 x-worker=10.244.1.0/24") {
		t.Errorf("got %v: %q", err, said)
	}
}
