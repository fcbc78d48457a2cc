package spec

import (
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	values := []time.Duration{4, 1, 3, 2}
	for q, want := range map[float64]time.Duration{0: 1, 0.25: 1, 0.26: 2, 0.5: 2, 0.9: 4, 1: 4} {
		if got := Quantile(values, q); got != want {
			t.Errorf("quantile %g: got %d, want %d", q, got, want)
		}
	}
	if got := Quantile([]float64{}, 0.5); got != 0 {
		t.Errorf("of no values: got %g", got)
	}
}
