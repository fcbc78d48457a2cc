package prove

import (
	"errors"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/reports/schema"
)

func TestShardsAreMerged(t *testing.T) {
	p := proofOf("a", "b", "c")
	var dirs []string
	for number := 1; number <= 2; number++ {
		o := Options{ReportDir: t.TempDir(), Shard: Shard{number, 2}}
		if _, _, err := do(t.Context(), p, &fake{found: map[string]Finding{"b": {Missed: []string{"case/b"}}}}, o); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, o.ReportDir)
	}
	whole, err := Merge(dirs)
	if err != nil || whole.Verdict != schema.Failed || whole.Shown() != 2 || len(whole.Trials) != 3 || whole.Shard != "1/1" {
		t.Errorf("got %+v, %v", whole, err)
	}
	var out strings.Builder
	whole.Print(&out)
	if !strings.HasSuffix(out.String(), "\nthings: noticed=2 total=3\n") {
		t.Errorf("got %s", out.String())
	}
	for _, some := range [][]string{nil, dirs[:1], {dirs[0], dirs[0]}, {dirs[0], t.TempDir()}} {
		if _, err := Merge(some); !errors.Is(err, ErrAnother) {
			t.Errorf("%d records: got %v", len(some), err)
		}
	}
}

func TestShardsOfOtherProofsAreNotMerged(t *testing.T) {
	one := Record{Proof: "things", Where: "here", Shard: "1/2", Suite: schema.Suite{Commit: "aaa"}}
	for name, change := range map[string]func(*Record){
		"proof":  func(r *Record) { r.Proof = "others" },
		"suite":  func(r *Record) { r.Suite.Commit = "bbb" },
		"where":  func(r *Record) { r.Where = "there" },
		"number": func(r *Record) { r.Shard = "2/3" },
		"trials": func(r *Record) { r.Only = []string{"a"} }, // some would be missing in a proof that is whole
	} {
		other := one
		other.Shard = "2/2"
		if _, err := merge([]Record{one, other}); err != nil {
			t.Fatal(err)
		}
		change(&other)
		if _, err := merge([]Record{one, other}); !errors.Is(err, ErrAnother) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
