package generate

import (
	"testing"

	"github.com/dra-conformance/dratest/implementation/difftest/problem"
)

func TestSameSeedSameProblem(t *testing.T) {
	for number := range uint64(100) {
		a, b := Problem(7, number), Problem(7, number)
		first, err := a.YAML()
		if err != nil {
			t.Fatal(err)
		}
		second, err := b.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(second) {
			t.Fatalf("problem %d differs from itself:\n%s\n---\n%s", number, first, second)
		}
		copied, err := a.Copy().YAML()
		if err != nil || string(copied) != string(first) {
			t.Fatalf("copy of problem %d differs: %v\n%s", number, err, copied)
		}
		parsed, err := problem.Parse(first)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parsed.YAML(); err != nil || string(again) != string(first) {
			t.Fatalf("problem %d is another one after parsing: %v\n%s", number, err, again)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	a, errA := Problem(1, 0).YAML()
	b, errB := Problem(2, 0).YAML()
	if errA != nil || errB != nil || string(a) == string(b) {
		t.Errorf("seeds 1 and 2 begin with the same problem: %v %v", errA, errB)
	}
}
